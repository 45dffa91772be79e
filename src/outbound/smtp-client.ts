import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import SMTPConnection, { type SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import MailComposer from 'nodemailer/lib/mail-composer';
import { isLoopback } from '../common/hosts';
import type { Network } from '../common/network';
import type { SmtpAccount } from '../config/channel-accounts';
import { isTlsError, type MailResponse, type OutboundFailure, type OutboundMail, type SendScope } from './outbound-request';

/** RFC 5321 4.2.3: mailbox name not allowed. */
const INVALID_RECIPIENT = '553';

/** An error from nodemailer. */
interface SmtpError {
  code: string;
  /** Node's error code, if nodemailer replaced it with its own. */
  originalCode?: string;
  /** The server's reply. */
  response?: string;
  responseCode?: number;
  /** The command that got the reply, such as `AUTH PLAIN` or `MAIL FROM`. */
  command?: string;
}

/**
 * Sends a mail over a new connection. Also resolves when a reply refuses it.
 * @throws OutboundError
 */
export async function sendMail(network: Network, account: SmtpAccount, mail: OutboundMail, scope: SendScope): Promise<MailResponse> {
  const { envelope, content } = await scope.untilEnd(composeMail(mail, account.from, scope.date));
  const socket = await openSocket(network, account, scope);
  try {
    return responseOf(await scope.untilEnd(deliver(socket, account, envelope, guarded(content, scope))));
  } catch (error) {
    socket.destroy();
    if (!isSmtpError(error)) throw error;
    const refusal = refusalOf(error);
    if (refusal) return responseOf(refusal, error.command);
    throw scope.error(failureOf(error, scope.isWritten));
  }
}

async function openSocket(network: Network, { port, host }: SmtpAccount, scope: SendScope): Promise<Socket> {
  const socket = network.connectMail(port, host, scope.sending);
  try {
    await scope.untilEnd(once(socket, 'connect'));
    return socket;
  } catch (error) {
    socket.destroy();
    throw isSmtpError(error) ? scope.error('no_mail_server', error.code) : error;
  }
}

/** nodemailer reads this stream once the server has accepted the envelope. Until then, nothing counts as sent. */
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

const MAX_REPLY_BYTES = 64 * 1_024;
/** How long to wait after QUIT for the server to close the connection. */
const CLOSE_MS = 1_000;

/** Returns the server's reply to the content. @throws Error from nodemailer, also when a reply refuses the mail */
async function deliver(socket: Socket, account: SmtpAccount, envelope: SMTPEnvelope, content: Readable): Promise<string> {
  const { host, user, password, isImplicitTls } = account;
  const hasPassword = Boolean(user && password);
  const connection = new SMTPConnection({
    connection: socket,
    host,
    secure: isImplicitTls && !('encrypted' in socket), // the sandbox's sockets need no handshake
    requireTLS: hasPassword && !isLoopback(socket.remoteAddress ?? ''), // otherwise TLS is used only if the server offers it
    tls: { rejectUnauthorized: true }, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
    maxResponseSize: MAX_REPLY_BYTES,
    socketCloseTimeout: CLOSE_MS,
  });
  const converse = async () => {
    await promisify(connection.connect.bind(connection))();
    if (hasPassword && connection.allowsAuth) await promisify(connection.login.bind(connection))({ user, pass: password });
    const { response } = await promisify(connection.send.bind(connection))(envelope, content);
    connection.quit();
    connection.close();
    return response;
  };
  return Promise.race([new Promise<never>((_, reject) => connection.on('error', reject)), converse()]);
}

/** A text/plain mail. nodemailer turns line breaks in headers and addresses into spaces: no value adds a header or a recipient. */
async function composeMail(
  { to, subject, text, messageId, headers }: OutboundMail,
  from: string,
  date: Date,
): Promise<{ envelope: SMTPEnvelope; content: Buffer }> {
  const recipient = { name: '', address: to }; // nodemailer would read a string as a list of addresses
  const access = { disableFileAccess: true, disableUrlAccess: true };
  const message = new MailComposer({ from, to: recipient, subject, text, messageId, headers, date, ...access }).compile();
  return { envelope: message.getEnvelope(), content: await message.build() };
}
