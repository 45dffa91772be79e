import type { Wording } from '../../deliveries/channels/text-fit';

const URL_LINE = /^https?:\/\/\S+$/i;

/**
 * Parses a request body back into the message that a person would see. If the handler type has only one text, its first line counts as
 * the title and a URL at its end as the link: a person can't tell them apart either.
 */
export function readRequest(type: string, body: string): Wording {
  switch (type) {
    case 'slack':
      return fromRuns(body);
    case 'discord':
      return fromDiscord(textAt(body, 'content'));
    case 'telegram':
      return fromTelegram(body);
    case 'microsoft_teams':
      return fromCard(body);
    case 'twilio':
      return fromLines(new URLSearchParams(body).get('Body') ?? '');
    case 'twilio_call':
      return fromTwiml(new URLSearchParams(body).get('Twiml') ?? '');
    case 'whatsapp':
      return fromWhatsapp(new URLSearchParams(body));
    default:
      return fromWebhook(body);
  }
}

/** Reads a mail, without the signature below it. */
export function readMail(subject: string, body: string): Wording {
  const paragraphs = body.trimEnd().split('\n\n-- \n')[0].split('\n\n');
  const url = paragraphs.length > 1 && URL_LINE.test(paragraphs[paragraphs.length - 1]) ? paragraphs.pop()! : '';
  return { title: subject, text: paragraphs.join('\n\n'), url };
}

function fromLines(text: string): Wording {
  const lines = text.split('\n');
  const url = lines.length > 1 && URL_LINE.test(lines[lines.length - 1]) ? lines.pop()! : '';
  const title = lines.length > 1 ? lines.shift()! : '';
  return { title, text: lines.join('\n'), url };
}

/** Splits a text and the link below it. */
function withLink(title: string, lines: string): Wording {
  const [, text, url = ''] = /^(.*?)(?:\n(https?:\/\/\S+))?$/is.exec(lines)!;
  return { title, text, url };
}

function fromRuns(body: string): Wording {
  type Run = { text: string; url?: string; style?: { bold: boolean } };
  const { blocks } = JSON.parse(body) as { blocks: { elements: { elements: Run[] }[] }[] };
  const runs = blocks[0].elements[0].elements.filter(({ text }) => text !== '\n');
  const text = runs.find(({ url, style }) => url === undefined && !style)?.text;
  return { title: runs.find(({ style }) => style)?.text ?? '', text: text ?? '', url: runs.find(({ url }) => url)?.url ?? '' };
}

function fromDiscord(content: string): Wording {
  const unescape = (text: string) => text.replace(/\\([!-/:-@[-`{-~])/g, '$1');
  const [, title = '', rest] = /^(?:\*\*(.*)\*\*\n)?(.*)$/s.exec(content)!;
  return withLink(unescape(title), unescape(rest));
}

function fromTelegram(body: string): Wording {
  const { text, entities } = JSON.parse(body) as { text: string; entities?: { length: number }[] };
  const length = entities?.[0].length ?? 0;
  return withLink(text.slice(0, length), text.slice(length).replace(/^\n/, ''));
}

function fromCard(body: string): Wording {
  type Run = { text: string; weight?: string; selectAction?: object };
  const { attachments } = JSON.parse(body) as { attachments: { content: { body: { inlines: Run[] }[] } }[] };
  const blocks = attachments[0].content.body.map(({ inlines }) => inlines);
  const [title, ...others] = blocks[0][0].weight ? blocks : [[], ...blocks];
  const isLinked = others.length > 1; // two blocks are text and link, since every message has a text
  const [text, url] = isLinked ? [others[0], others[1]] : [others[0] ?? [], []];
  const texts = [title, text, url].map((runs) => runs.map((run) => run.text).join(''));
  return { title: texts[0], text: texts[1], url: texts[2] };
}

/** Reads only the first half, since a call says everything twice. */
function fromTwiml(twiml: string): Wording {
  const [once] = twiml.split('<Pause length="2"/>');
  const said = [...once.matchAll(/<Say[^>]*>(.*?)<\/Say>/gs)].map(([, text]) => unescapeEntities(text));
  return { title: said.length > 1 ? said[0] : '', text: said[said.length - 1] ?? '', url: '' };
}

/** The template's first variable is the title or, without one, the beginning of the text; the second is the text and link, on one line. */
function fromWhatsapp(form: URLSearchParams): Wording {
  const variables = form.get('ContentVariables');
  if (variables === null) return fromLines(form.get('Body') ?? '');
  const { 1: title, 2: message } = JSON.parse(variables) as Record<string, string>;
  const [, text, url] = /^(.*?)(?: (https?:\/\/\S+))?$/i.exec(message)!;
  return { title: text.startsWith(title.replace(/…$/, '')) ? '' : title, text, url: url ?? '' };
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
