import { type EnvironmentReader, parsePublicUrl } from './environment';
import { parseMailbox, parseSmtpUrl, type SmtpServer } from './smtp-url';

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
