import type { IncomingHttpHeaders } from 'node:http';

/** An HTTP POST. */
export interface OutboundRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The operator's own choice of server: its address is not checked, and its name is resolved by the system. */
  isTrusted: boolean;
  /** Sent on a new connection: a kept one that the receiver has just closed leaves open whether the request arrived. */
  needsNewConnection: boolean;
  /** Whether the body of a response with this status is read, up to 64 KiB; otherwise the headers are the whole answer. */
  readsBody(status: number): boolean;
  /** A body that is read must come whole, whatever the status; otherwise only that of a success must. */
  needsWholeBody: boolean;
}

export interface OutboundResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Empty when not read. */
  body: string;
}

/** A mail, sent through SMTP_URL. */
export interface OutboundMail {
  to: string;
  subject: string;
  text: string;
  messageId: string;
  headers: Readonly<Record<string, string>>;
}

/** The SMTP server's last reply. */
export interface MailResponse {
  /** Such as 250, 421 or 550. */
  status: number;
  /** RFC 3463, such as `5.1.1`. */
  code?: string;
  /** Whether it refuses the login or MAIL FROM, rather than the recipient or the content. */
  refusesSender: boolean;
}

export interface SendOptions {
  /** For the whole of it: name, connection, TLS, request and answer. */
  deadlineMs: number;
  /** Called right before the first byte of the request, or of a mail's content, is written; if false, nothing is sent. */
  mayWrite(): boolean;
  /** Gives up at once if the request has not been written yet. */
  giveBack: AbortSignal;
}

/**
 * `given_back`: not sent, because `mayWrite` or `giveBack` said so. `not_http`: the answer is no HTTP, or no SMTP. `no_answer`: the request
 * was written, and the connection ended without an answer. `unresolved`: the name has no address. `no_mail_server`: no connection to the
 * server of SMTP_URL. The others are outcomes of an attempt.
 */
export type OutboundFailure =
  | ('given_back' | 'timeout' | 'unreachable' | 'unresolved' | 'no_mail_server')
  | ('tls_error' | 'blocked_address' | 'not_http' | 'no_answer');

export class OutboundError extends Error {
  constructor(
    readonly failure: OutboundFailure,
    /** Whether the first byte of the request had been written. */
    readonly isWritten: boolean,
    /** Such as ECONNREFUSED; only with `no_mail_server`. */
    readonly systemCode?: string,
  ) {
    super(failure);
  }
}

/** Errors of a connection that the network or the peer has ended. */
const LOST_CONNECTION = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether an error of a TLS connection concerns TLS: OpenSSL has a code for each way in which a certificate can be wrong. */
export function isTlsError(code: string): boolean {
  return !LOST_CONNECTION.has(code);
}

/** Whether a host name has no address, or the system's resolver got no answer. */
export function isNameError(code: string): boolean {
  return code === 'ENOTFOUND' || code.startsWith('EAI_');
}
