import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../common/clock';

/** An HTTP POST. */
export interface OutboundRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** What the recipient sees; passed to `Network`, like `sending`. */
  wording: object;
  /** Whether the operator configured the server: its address is not checked, and the system resolves its name. */
  isTrusted: boolean;
  /** Uses a new connection: if the receiver closes a reused one, it is unknown whether the request arrived. */
  needsNewConnection: boolean;
  /** Whether to read the body of a response with this status, up to 64 KiB. */
  readsBody(status: number): boolean;
  /** Whether a response with this status is worthless without its whole body; otherwise, a body not complete within 1 s counts as empty. */
  needsWholeBody(status: number): boolean;
}

export interface OutboundResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Empty when not read. */
  body: string;
}

/** An email, sent through SMTP_URL. */
export interface OutboundMail {
  to: string;
  subject: string;
  text: string;
  messageId: string;
  headers: Readonly<Record<string, string>>;
  /** What the recipient sees; passed to `Network`, like `sending`. */
  wording: object;
}

/** The step of an SMTP session that a reply belongs to; `greeting` includes EHLO and HELO. */
export type MailStep = 'greeting' | 'login' | 'sender' | 'recipient' | 'content';

/** The SMTP server's last reply. */
export interface MailResponse {
  /** For example 250, 421 or 550. */
  status: number;
  /** The enhanced status code (RFC 3463), such as `5.1.1`. */
  code?: string;
  /** The rest of the reply, after the codes. */
  text: string;
  step: MailStep;
}

export interface SendOptions {
  /** For all steps together: DNS lookup, connection, TLS, request and response. With a mail server, each step has its own deadline. */
  deadlineMs: number;
  /** Called right before the first byte of the request, or of an email's content, is written. If it returns false, nothing is sent. */
  mayWrite(): boolean;
  /** Called before an email's content is written. If it resolves to false, nothing is sent. */
  beforeContent?(): Promise<boolean>;
  /** Aborting it stops the call, unless the request has already been written. */
  abortSignal: AbortSignal;
  /** Passed to `Network`, where the sandbox reads it; never sent to a receiver. */
  sending?: object;
}

/**
 * `aborted`: stopped by `mayWrite`, `beforeContent` or `abortSignal`. `not_http`: the response is not valid HTTP or SMTP. `no_answer`: the request
 * was written, and the connection ended without a complete response. `unresolved`: the name has no address, or no name server answered.
 * `no_mail_server`: no connection to the server of SMTP_URL. `endless_session`: that server kept replying without accepting the email. The
 * others mean the same as in `Outcome`.
 */
export type OutboundFailure =
  | ('aborted' | 'timeout' | 'unreachable' | 'unresolved' | 'no_mail_server' | 'endless_session')
  | ('tls_error' | 'blocked_address' | 'not_http' | 'no_answer');

export class OutboundError extends Error {
  constructor(
    readonly failure: OutboundFailure,
    /** Whether the first byte of the request had been written. */
    readonly isWritten: boolean,
    /** For example ECONNREFUSED; only with a mail server's `no_mail_server` and `tls_error`. */
    readonly systemCode?: string,
  ) {
    super(failure);
  }
}

/** Error codes for connections that the network or the peer has closed. */
const LOST_CONNECTION = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether an error on a TLS connection is a TLS error. OpenSSL has too many codes to list, so this excludes network errors. */
export function isTlsError(code: string): boolean {
  return !LOST_CONNECTION.has(code);
}

/** State of one request or email. It ends at its deadline, or when `abortSignal` is aborted before its first byte is written. */
export class OutboundCall {
  isWritten = false;
  private failure?: OutboundError;
  private rejectEnded: (error: OutboundError) => void;
  private readonly ended = new Promise<never>((_, reject) => (this.rejectEnded = reject));
  private readonly endsAt: number;
  private timer?: NodeJS.Timeout;
  private isClosed = false;

  constructor(
    private readonly options: SendOptions,
    private readonly clock: Clock,
  ) {
    this.ended.catch(() => undefined);
    this.endsAt = clock.monotonic() + options.deadlineMs;
    this.restartTimeout(options.deadlineMs);
    options.abortSignal.addEventListener('abort', this.abort);
    if (options.abortSignal.aborted) this.abort();
  }

  /** @throws OutboundError if the call has ended */
  throwIfEnded(): void {
    if (this.failure) throw this.failure;
  }

  get remainingMs(): number {
    return Math.max(0, this.endsAt - this.clock.monotonic());
  }

  get date(): Date {
    return new Date(this.clock.now());
  }

  get sending(): object | undefined {
    return this.options.sending;
  }

  error(failure: OutboundFailure, systemCode?: string): OutboundError {
    return new OutboundError(failure, this.isWritten, systemCode);
  }

  /** The result of the work, unless the call ends first. @throws OutboundError */
  async untilEnd<T>(work: Promise<T>): Promise<T> {
    return Promise.race([this.ended, work]);
  }

  /** Calls `mayWrite` right before the first byte of the request; if it returns false, the call ends. */
  startWriting(): boolean {
    if (!this.failure && !this.options.mayWrite()) this.abort();
    this.isWritten = !this.failure;
    return this.isWritten;
  }

  /** Like `startWriting`, after `beforeContent` has resolved. */
  async startContent(): Promise<boolean> {
    if ((await this.options.beforeContent?.()) === false) this.abort();
    return this.startWriting();
  }

  /** Ends the call after this time, unless the timeout is restarted before. */
  restartTimeout(milliseconds: number): void {
    if (this.isClosed) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end('timeout'), milliseconds);
  }

  end(failure: OutboundFailure): void {
    if (this.failure) return;
    this.failure = this.error(failure);
    this.rejectEnded(this.failure);
  }

  /** Releases the timer and the listener. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.options.abortSignal.removeEventListener('abort', this.abort);
  }

  private readonly abort = (): void => {
    if (!this.isWritten) this.end('aborted');
  };
}
