import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import type { SmtpAccount } from '../../config/channel-accounts';
import type { SendScope } from '../send-scope';
import { composeMail } from './mime-message';
import type { MailResponse, OutboundFailure, OutboundMail } from '../outbound-request';
import { SmtpSession } from './smtp-session';
import { isTlsError } from '../tls-error';

/** RFC 5321 4.2.3: mailbox name not allowed. */
const INVALID_RECIPIENT = 553;

/** An error of nodemailer's, or of Node's while there is no connection. */
interface SmtpError {
  code: string;
  /** Node's code, where nodemailer has put its own in its place. */
  originalCode?: string;
  /** Of the server's reply. */
  responseCode?: number;
}

/**
 * Sends a mail over a connection of its own. A reply that refuses it resolves, too.
 * @throws OutboundError
 */
export async function sendMail(account: SmtpAccount, mail: OutboundMail, scope: SendScope): Promise<MailResponse> {
  const { envelope, content } = await scope.untilEnd(composeMail(mail, account.from));
  const socket = connect(account.port, account.host);
  try {
    await scope.untilEnd(once(socket, 'connect'));
    const session = new SmtpSession(socket, account);
    return { code: await scope.untilEnd(session.deliver(envelope, guarded(content, scope))) };
  } catch (error) {
    socket.destroy();
    if (!isSmtpError(error)) throw error;
    const code = refusalOf(error);
    if (code) return { code };
    throw scope.error(failureOf(error, scope.isWritten));
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

function refusalOf({ code, responseCode = 0 }: SmtpError): number | undefined {
  if (code === 'EENVELOPE' && !responseCode) return INVALID_RECIPIENT; // nodemailer's own refusal
  return code !== 'ETLS' && responseCode >= 400 && responseCode < 600 ? responseCode : undefined;
}

function failureOf({ code, originalCode }: SmtpError, isWritten: boolean): OutboundFailure {
  if (code === 'ETLS' || (code === 'ESOCKET' && originalCode && isTlsError(originalCode))) return 'tls_error';
  if (code === 'EPROTOCOL') return 'not_http';
  return isWritten ? 'no_answer' : 'unreachable';
}
