import { decode, type ValueType } from './environment';

interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps://`); otherwise upgraded when the server offers it. */
  isImplicitTls: boolean;
  user?: string;
  password?: string;
}

export interface SmtpAccount extends SmtpServer {
  /** MAIL_FROM: an address, or `Name <address>`. */
  from: string;
}

export interface TwilioAccount {
  sid: string;
  token: string;
  /** Phone number; needed for calls. */
  from?: string;
  messagingServiceSid?: string;
  whatsappFrom?: string;
  whatsappContentSid?: string;
  /** Where Twilio posts the status of a message or call. Undefined: nowhere. */
  statusCallback?: string;
}

/** Ports of mail submission, without and with implicit TLS: https://www.rfc-editor.org/rfc/rfc8314#section-7.3 */
const DEFAULT_PORTS = new Map([
  ['smtp:', 587],
  ['smtps:', 465],
]);

export const SMTP_URL: ValueType<SmtpServer> = {
  expected: 'smtp:// or smtps://user:password@host:port, percent-encoded, without a path or query',
  parse(text) {
    const url = /^smtps?:\/\/[^\s?#\\]+$/.test(text) ? URL.parse(text) : null;
    const port = Number(url?.port || DEFAULT_PORTS.get(url?.protocol ?? ''));
    if (!url || !/^([\w.-]+|\[[\d.:a-f]+\])$/.test(url.hostname) || !/^\/?$/.test(url.pathname) || port === 0) return undefined;
    const server = { host: url.hostname.replace(/^\[|\]$/g, ''), port, isImplicitTls: url.protocol === 'smtps:' };
    const [user, password] = [decode(url.username), decode(url.password)];
    if (user && password) return { ...server, user, password };
    return user === '' && password === '' ? server : undefined;
  },
};

const ADDRESS = String.raw`[^\s<>()[\]",:;@\\\p{Cc}]+@[^\s<>()[\]",:;@\\\p{Cc}]+`;

/** Names with punctuation must be quoted: an unquoted comma separates addresses. */
export const MAIL_FROM = matching(
  'an address, or Name <address>, with a name in double quotes if it has punctuation',
  new RegExp(String.raw`^(?:${ADDRESS}|(?:[^<>()[\]",:;@\\\p{Cc}]*|"[^"\\\p{Cc}]*" *)<${ADDRESS}>)$`, 'u'),
);

export const TWILIO_SID = matching('letters, digits, _ and -', /^[\w-]+$/);

export const TWILIO_TOKEN = matching('a token without white space', /^\S+$/);

/** For example en-US. The languages that Twilio speaks: https://www.twilio.com/docs/voice/twiml/say/text-speech */
export const LANGUAGE = matching('a language tag, such as en-US', /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/);

function matching(expected: string, pattern: RegExp): ValueType<string> {
  return { expected, parse: (text) => (pattern.test(text) ? text : undefined) };
}
