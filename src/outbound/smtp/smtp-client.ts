import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import type { SmtpAccount } from '../../config/channel-accounts';
import type { Attempt } from '../attempt';
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
export async function sendMail(account: SmtpAccount, mail: OutboundMail, attempt: Attempt): Promise<MailResponse> {
  const { envelope, content } = await attempt.untilEnd(composeMail(mail, account.from));
  const socket = connect(account.port, account.host);
  try {
    await attempt.untilEnd(once(socket, 'connect'));
    const session = new SmtpSession(socket, account);
    return { code: await attempt.untilEnd(session.deliver(envelope, guarded(content, attempt))) };
  } catch (error) {
    socket.destroy();
    if (!isSmtpError(error)) throw error;
    const code = refusalOf(error);
    if (code) return { code };
    throw attempt.error(failureOf(error, attempt.isWritten));
  }
}

/** Read when the server has accepted the envelope. The content counts as the request: before it, nothing has been sent. */
function guarded(content: Buffer, attempt: Attempt): Readable {
  return new Readable({
    read() {
      if (!attempt.startWriting()) return void this.destroy();
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
