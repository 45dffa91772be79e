import { hash } from 'node:crypto';
import type { Request } from 'express';
import { timestamp } from '../../platform/common/time';
import { parseAcknowledgement } from '../message.entity';
import type { LinkedDelivery } from './acknowledgements';

const STYLE = `:root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:34rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.375rem;overflow-wrap:anywhere}button{font:inherit;font-weight:600;padding:.75rem 1.5rem;min-height:3rem;width:100%;border:0;border-radius:.5rem;background:#1d5fd1;color:#fff}
button:focus-visible{outline:3px solid;outline-offset:2px}`;

/** The page runs no script, loads nothing, can't be framed, and posts only to its own origin. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    `default-src 'none'; form-action 'self'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; ` +
    "base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  Vary: 'Accept-Language',
};

const TEXTS = {
  en: {
    untitled: 'A message for you',
    sentOn: (time: string) => `Sent on ${time} UTC.`,
    cancelledOn: (time: string) => `Cancelled on ${time} UTC.`,
    expiredOn: (time: string) => `Expired on ${time} UTC.`,
    stillPending: 'It goes to others, or comes again, until somebody acknowledges it.',
    nobodyElse: 'Nobody else will be told.',
    button: 'I have it',
    acknowledgedOn: (time: string) => `Acknowledged on ${time} UTC. Nothing more of it will be sent.`,
    gone: 'This message is gone',
    goneText: 'The link is wrong or too old: there is nothing to acknowledge.',
    failed: 'This did not work',
    busy: 'Too much is going on just now. Wait a minute, then open the link again.',
    refused: 'Open the link from the message again, and use the button.',
  },
  pt: {
    untitled: 'Uma mensagem para você',
    sentOn: (time: string) => `Enviada em ${time} UTC.`,
    cancelledOn: (time: string) => `Cancelada em ${time} UTC.`,
    expiredOn: (time: string) => `Expirada em ${time} UTC.`,
    stillPending: 'Ela segue para outras pessoas, ou volta, até que alguém a confirme.',
    nobodyElse: 'Ninguém mais será avisado.',
    button: 'Estou cuidando disso',
    acknowledgedOn: (time: string) => `Confirmada em ${time} UTC. Nada mais dela será enviado.`,
    gone: 'Esta mensagem não existe mais',
    goneText: 'O link está errado ou é antigo demais: não há nada a confirmar.',
    failed: 'Não funcionou',
    busy: 'Há pedidos demais agora. Espere um minuto e abra o link de novo.',
    refused: 'Abra o link da mensagem de novo e use o botão.',
  },
};

/** Shows a message's state, and a button that posts to the same URL. Without `linked`, says that the message is gone. */
export function acknowledgementPage(language: keyof typeof TEXTS, linked?: LinkedDelivery, acknowledged?: string): string {
  const texts = TEXTS[language];
  if (!linked) return page(language, texts.gone, `<p>${texts.goneText}</p>`);
  const { message, cancelled, expired, isPending } = linked;
  const heading = message.title || texts.untitled;
  const since = acknowledged ?? parseAcknowledgement(message.acknowledged)?.datetime;
  if (since !== undefined) return page(language, heading, `<p>${texts.acknowledgedOn(since)}</p>`);
  const sent = message.send_at === null ? message.datetime : timestamp(Number(message.send_at)); // mysql2 returns an entity's bigint as a string
  const ended = cancelled ? texts.cancelledOn(cancelled) : expired && texts.expiredOn(expired);
  const sentences = [texts.sentOn(sent), ended, isPending && !ended ? texts.stillPending : texts.nobodyElse].filter(Boolean).join(' ');
  const button = cancelled ? '' : `<form method="post"><button>${texts.button}</button></form>`;
  return page(language, heading, `<p>${sentences}</p>${button}`);
}

export function errorPage(language: keyof typeof TEXTS, status: number): string {
  const { failed, busy, refused } = TEXTS[language];
  return page(language, failed, `<p>${status === 429 || status >= 500 ? busy : refused}</p>`);
}

export function languageOf(request: Request): keyof typeof TEXTS {
  return request.acceptsLanguages('en', 'pt') === 'pt' ? 'pt' : 'en';
}

function page(language: string, heading: string, body: string): string {
  const escaped = heading.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return (
    `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escaped}</title><style>${STYLE}</style><main><h1 dir="auto">${escaped}</h1>${body}</main></html>`
  );
}
