import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Parser } from '../common/field-types';
import { percentDecode, InvalidValue } from './environment';

interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps://`); otherwise the connection is upgraded if the server offers STARTTLS. */
  isImplicitTls: boolean;
  /** `on` requires TLS; `insecure` accepts any certificate. Undefined: uses TLS if offered, and requires it for a password unless on loopback. */
  tls?: TlsMode;
  user?: string;
  password?: string;
}

type TlsMode = 'off' | 'on' | 'insecure';

export interface SmtpAccount extends SmtpServer {
  /** This service's name in EHLO. */
  ehloName: string;
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
  /** Maximum length of a template variable, in characters. */
  whatsappMax: number;
  /** URL to which Twilio posts the status of a message or call. Undefined: Twilio posts none. */
  statusCallback?: string;
  /** URL to which Twilio posts a key pressed in a call, once `/` and a token are appended. Undefined without an https PUBLIC_URL. */
  keyCallback?: string;
}

/** Ports of mail submission, without and with implicit TLS: https://www.rfc-editor.org/rfc/rfc8314#section-7.3 */
const DEFAULT_PORTS = new Map([
  ['smtp:', 587],
  ['smtps:', 465],
]);

const LOCAL_HOST = /^(localhost|127\.[\d.]+|::1)$/;

export const SMTP_URL: Parser<SmtpServer> = {
  expected:
    'smtp:// or smtps://user:password@host:port, percent-encoded, without a path, and with ?tls=off, on or insecure as the only query',
  parse(text) {
    const url = /^smtps?:\/\/[^\s?#\\]+(\?tls=(off|on|insecure))?$/.test(text) ? URL.parse(text) : null;
    const port = Number(url?.port || DEFAULT_PORTS.get(url?.protocol ?? ''));
    if (!url || !/^([\w.-]+|\[[\d.:a-f]+\])$/.test(url.hostname) || !/^\/?$/.test(url.pathname) || port === 0) return undefined;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const tls = (url.searchParams.get('tls') ?? undefined) as TlsMode | undefined;
    const server = { host, port, isImplicitTls: url.protocol === 'smtps:', tls };
    const [user, password] = [percentDecode(url.username), percentDecode(url.password)];
    if (tls === 'off' && server.isImplicitTls) throw new InvalidValue('must begin with smtp:// to use tls=off.');
    if (tls === 'off' && user && !LOCAL_HOST.test(host))
      throw new InvalidValue('must not have tls=off with a password, which is sent over TLS or to this machine only.');
    if (user && password) return { ...server, user, password };
    return user === '' && password === '' ? server : undefined;
  },
};

const EMAIL_ADDRESS = String.raw`[^\s<>()[\]",:;@\\\p{Cc}]+@[^\s<>()[\]",:;@\\\p{Cc}]+`;

/** Names with punctuation must be quoted: an unquoted comma separates addresses. */
export const MAIL_FROM = patternParser(
  'an address, or Name <address>, with a name in double quotes if it has punctuation',
  new RegExp(String.raw`^(?:${EMAIL_ADDRESS}|(?:[^<>()[\]",:;@\\\p{Cc}]*|"[^"\\\p{Cc}]*" *)<${EMAIL_ADDRESS}>)$`, 'u'),
);

/** The domain of MAIL_FROM, in ASCII. */
export function domainOf(from: string): string {
  return domainToASCII(from.slice(from.lastIndexOf('@') + 1).replace(/>\s*$/, ''));
}

export const EHLO_NAME = patternParser(
  'a host name, such as desk.example.com, or an address in brackets, such as [192.0.2.1]',
  /^(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|\[(?:IPv6:)?[\d.:A-Fa-f]+\])$/,
);

/** PUBLIC_URL's host; if that is a local name or an address, MAIL_FROM's domain, because SMTP servers refuse local names in EHLO. */
export function defaultEhloName(publicUrl: string, from: string): string {
  const host = URL.parse(publicUrl)?.hostname ?? '';
  return host.includes('.') && !isIP(host) && !/\.local(host)?$/.test(host) ? host : domainOf(from);
}

export const TWILIO_SID = patternParser('letters, digits, _ and -', /^[\w-]+$/);

export const TWILIO_TOKEN = patternParser('a token without white space', /^\S+$/);

/** For example en-US. Twilio's languages: https://www.twilio.com/docs/voice/twiml/say/text-speech */
export const LANGUAGE = patternParser('a language tag, such as en-US', /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/);

function patternParser(expected: string, pattern: RegExp): Parser<string> {
  return { expected, parse: (text) => (pattern.test(text) ? text : undefined) };
}
