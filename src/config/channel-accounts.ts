import { decode, type EnvironmentReader, parsePublicUrl } from './environment';

/** The operator's accounts at the services that channels send through. */
export interface ChannelAccounts {
  smtp?: SmtpAccount;
  /** Without a trailing slash. */
  telegramApiUrl: string;
  twilioApiUrl: string;
  twilio?: TwilioAccount;
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
}

const SMTP_URL_FORM = 'smtp:// or smtps://user:password@host:port, percent-encoded, without a path or query';
const MAIL_FROM_FORM = 'an address, or Name <address>, with a name in double quotes if it has punctuation';
const SECRETS = ['SMTP_URL', 'TWILIO_AUTH_TOKEN'];
const TWILIO_SENDERS = ['TWILIO_FROM', 'TWILIO_MESSAGING_SERVICE_SID', 'TWILIO_WHATSAPP_FROM', 'TWILIO_WHATSAPP_CONTENT_SID'];

export function readChannelAccounts(read: EnvironmentReader): ChannelAccounts {
  return {
    smtp: readSmtp(read),
    telegramApiUrl: read.value('TELEGRAM_API_URL', 'https://api.telegram.org', 'an http(s) URL', parsePublicUrl),
    twilioApiUrl: read.value('TWILIO_API_URL', 'https://api.twilio.com', 'an http(s) URL', parsePublicUrl),
    twilio: readTwilio(read),
  };
}

function readSmtp(read: EnvironmentReader): SmtpAccount | undefined {
  const server = read.optionalSecret('SMTP_URL', SMTP_URL_FORM, parseSmtpUrl);
  const from = read.optional('MAIL_FROM', MAIL_FROM_FORM, parseMailbox);
  requireAll(read, ['SMTP_URL', 'MAIL_FROM']);
  return server && from ? { ...server, from } : undefined;
}

function readTwilio(read: EnvironmentReader): TwilioAccount | undefined {
  const sid = read.optional('TWILIO_ACCOUNT_SID', 'letters, digits, _ and -', (text) => (/^[\w-]+$/.test(text) ? text : undefined));
  const token = read.optionalSecret('TWILIO_AUTH_TOKEN', 'a token without white space', (text) => (/^\S+$/.test(text) ? text : undefined));
  const [from, messagingServiceSid, whatsappFrom, whatsappContentSid] = TWILIO_SENDERS.map((name) => read.text(name) || undefined);
  requireAll(read, ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN'], TWILIO_SENDERS);
  return sid && token ? { sid, token, from, messagingServiceSid, whatsappFrom, whatsappContentSid } : undefined;
}

/** The required variables come together, and the dependent ones only with them. */
function requireAll(read: EnvironmentReader, required: string[], dependent: string[] = []): void {
  const isSet = (name: string) => (SECRETS.includes(name) ? read.hasSecret(name) : read.text(name) !== '');
  const missing = required.filter((name) => !isSet(name));
  const given = [...required, ...dependent].filter(isSet);
  if (missing.length > 0 && given.length > 0) read.problems.push(`${missing.join(' and ')} must be set to use ${given.join(', ')}.`);
}

export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps://`); otherwise upgraded when the server offers it. */
  isImplicitTls: boolean;
  user?: string;
  password?: string;
}

/** Submission, and submission with implicit TLS: https://www.rfc-editor.org/rfc/rfc8314#section-7.3 */
const DEFAULT_PORTS = new Map([
  ['smtp:', 587],
  ['smtps:', 465],
]);

const ADDRESS = String.raw`[^\s<>()[\]",:;@\\\p{Cc}]+@[^\s<>()[\]",:;@\\\p{Cc}]+`;

/** Names with a comma or the like must be quoted: unquoted, they would be several addresses. */
const MAILBOX = new RegExp(String.raw`^(?:${ADDRESS}|(?:[^<>()[\]",:;@\\\p{Cc}]*|"[^"\\\p{Cc}]*" *)<${ADDRESS}>)$`, 'u');

function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = /^smtps?:\/\/[^\s?#\\]+$/.test(text) ? URL.parse(text) : null;
  const port = Number(url?.port || DEFAULT_PORTS.get(url?.protocol ?? ''));
  if (!url || !/^([\w.-]+|\[[\d.:a-f]+\])$/.test(url.hostname) || !/^\/?$/.test(url.pathname) || port === 0) return undefined;
  const server = { host: url.hostname.replace(/^\[|\]$/g, ''), port, isImplicitTls: url.protocol === 'smtps:' };
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user && password) return { ...server, user, password };
  return user === '' && password === '' ? server : undefined;
}

/** An address, or `Name <address>`. */
function parseMailbox(text: string): string | undefined {
  return MAILBOX.test(text) ? text : undefined;
}
