import type { Wording } from '../deliveries/channels/text-fit';

const URL_LINE = /^https?:\/\/\S+$/i;

/**
 * A message as its reader sees it, read back from the request body by the rules of its type. Where a type has one text, its first line is
 * the title and a URL at the end the link: a reader can't tell otherwise either.
 */
export function readRequest(type: string, body: string): Wording {
  switch (type) {
    case 'slack':
      return fromLines(unescapeEntities(textAt(body, 'text')));
    case 'discord':
      return fromLines(textAt(body, 'content').replace(/\\([!-/:-@[-`{-~])/g, '$1'));
    case 'telegram':
      return fromLines(textAt(body, 'text'));
    case 'microsoft_teams':
      return fromCard(body);
    case 'twilio':
      return fromLines(new URLSearchParams(body).get('Body') ?? '');
    case 'twilio_call':
      return fromLines(unescapeEntities(/<Say>(.*)<\/Say>/s.exec(new URLSearchParams(body).get('Twiml') ?? '')?.[1] ?? ''));
    case 'whatsapp':
      return fromWhatsapp(new URLSearchParams(body));
    default:
      return fromWebhook(body);
  }
}

/** A mail's text repeats a title that its subject has. */
export function readMail(subject: string, text: string): Wording {
  const { url, ...read } = fromLines(text);
  return read.title.replace(/\s+/g, ' ').trim() === subject
    ? { title: subject, text: read.text, url }
    : { ...fromLines(text), title: subject };
}

function fromLines(text: string): Wording {
  const lines = text.split('\n');
  const url = lines.length > 1 && URL_LINE.test(lines[lines.length - 1]) ? lines.pop()! : '';
  const title = lines.length > 1 ? lines.shift()! : '';
  return { title, text: lines.join('\n'), url };
}

function fromCard(body: string): Wording {
  type Run = { text: string; selectAction?: { url: string } };
  const { attachments } = JSON.parse(body) as { attachments: { content: { body: { inlines: Run[] }[] } }[] };
  const blocks = attachments[0].content.body.map(({ inlines }) => inlines);
  const textOf = (runs: Run[]) => runs.map(({ text }) => text).join('');
  const url = blocks.filter((runs) => runs[0].selectAction).map(textOf);
  const texts = blocks.filter((runs) => !runs[0].selectAction).map(textOf);
  const [title, text] = texts.length > 1 ? texts : ['', ...texts];
  return { title, text: text ?? '', url: url[0] ?? '' };
}

/** A template has the title, or the beginning of the text, and then everything else on one line. */
function fromWhatsapp(form: URLSearchParams): Wording {
  const variables = form.get('ContentVariables');
  if (variables === null) return fromLines(form.get('Body') ?? '');
  const { 1: title, 2: message } = JSON.parse(variables) as Record<string, string>;
  const [, text, url] = /^(.*?)(?: (https?:\/\/\S+))?$/i.exec(message)!;
  return { title: text.startsWith(title) ? '' : title, text, url: url ?? '' };
}

/** The webhook of an event has no text for people: it is shown whole. */
function fromWebhook(body: string): Wording {
  const { type, data } = parse(body) as { type?: string; data?: Wording };
  return type === 'message' && data ? { title: data.title, text: data.text, url: data.url } : { title: type ?? '', text: body, url: '' };
}

function textAt(body: string, name: string): string {
  const text = parse(body)[name];
  return typeof text === 'string' ? text : '';
}

function parse(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function unescapeEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
