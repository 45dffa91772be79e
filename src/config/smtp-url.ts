import { decode } from './environment';

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

export function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = /^smtps?:\/\/[^\s?#\\]+$/.test(text) ? URL.parse(text) : null;
  const port = Number(url?.port || DEFAULT_PORTS.get(url?.protocol ?? ''));
  if (!url || !/^([\w.-]+|\[[\d.:a-f]+\])$/.test(url.hostname) || !/^\/?$/.test(url.pathname) || port === 0) return undefined;
  const server = { host: url.hostname.replace(/^\[|\]$/g, ''), port, isImplicitTls: url.protocol === 'smtps:' };
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user && password) return { ...server, user, password };
  return user === '' && password === '' ? server : undefined;
}

/** An address, or `Name <address>`. */
export function parseMailbox(text: string): string | undefined {
  return MAILBOX.test(text) ? text : undefined;
}
