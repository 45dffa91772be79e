import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { SmtpAccount } from '../../config/channel-accounts';
import type { SendScope } from '../send-scope';
import { composeMail } from './mime-message';
import type { MailResponse, OutboundFailure, OutboundMail } from '../outbound-request';
import { SmtpSession } from './smtp-session';
import { isTlsError } from '../socket-errors';

/** RFC 5321 4.2.3: mailbox name not allowed. */
const INVALID_RECIPIENT = '553';

/** An error of nodemailer's. */
interface SmtpError {
  code: string;
  /** Node's code, where nodemailer has put its own in its place. */
  originalCode?: string;
  /** The server's reply. */
  response?: string;
  responseCode?: number;
  /** That was replied to, such as `AUTH PLAIN` or `MAIL FROM`. */
  command?: string;
}

/**
 * Sends a mail over a connection of its own. A reply that refuses it resolves, too.
 * @throws OutboundError
 */
export async function sendMail(account: SmtpAccount, mail: OutboundMail, scope: SendScope): Promise<MailResponse> {
  const { envelope, content } = await scope.untilEnd(composeMail(mail, account.from));
  const socket = await openSocket(account, scope);
  try {
    const session = new SmtpSession(socket, account);
    return responseOf(await scope.untilEnd(session.deliver(envelope, guarded(content, scope))));
  } catch (error) {
    socket.destroy();
    if (!isSmtpError(error)) throw error;
    const refusal = refusalOf(error);
    if (refusal) return responseOf(refusal, error.command);
    throw scope.error(failureOf(error, scope.isWritten));
  }
}

async function openSocket({ port, host }: SmtpAccount, scope: SendScope): Promise<Socket> {
  const socket = connect(port, host);
  try {
    await scope.untilEnd(once(socket, 'connect'));
    return socket;
  } catch (error) {
    socket.destroy();
    throw isSmtpError(error) ? scope.error('no_mail_server', error.code) : error;
  }
}

/** Read when the server has accepted the envelope. The content counts as the request: before it, nothing has been sent. */
function guarded(content: Buffer, scope: SendScope): Readable {
  return new Readable({
    read() {
      if (!scope.startWriting()) return void this.destroy();
      this.push(content);
      this.push(null);
    },
  });
}

function isSmtpError(error: unknown): error is SmtpError {
  return error instanceof Error && 'code' in error;
}

/** The reply that refuses the mail. */
function refusalOf({ code, response, responseCode = 0 }: SmtpError): string | undefined {
  if (code === 'EENVELOPE' && !responseCode) return INVALID_RECIPIENT; // nodemailer's own refusal
  return code !== 'ETLS' && responseCode >= 400 && responseCode < 600 ? response : undefined;
}

function responseOf(reply: string, command = ''): MailResponse {
  const [, status, code] = /^(\d+)(?:[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S))?/.exec(reply)!;
  return { status: Number(status), code, refusesSender: command === 'MAIL FROM' || command.startsWith('AUTH ') };
}

function failureOf({ code, originalCode }: SmtpError, isWritten: boolean): OutboundFailure {
  if (code === 'ETLS' || (code === 'ESOCKET' && originalCode && isTlsError(originalCode))) return 'tls_error';
  if (code === 'EPROTOCOL') return 'not_http';
  return isWritten ? 'no_answer' : 'unreachable';
}
