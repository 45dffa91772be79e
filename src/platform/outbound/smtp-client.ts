import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import SMTPConnection, { type SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import MailComposer from 'nodemailer/lib/mail-composer';
import { isLoopback } from '../common/hosts';
import type { Network } from '../common/network';
import type { SmtpAccount } from '../config/channel-accounts';
import {
  isTlsError,
  type MailResponse,
  type MailStep,
  type OutboundFailure,
  type OutboundMail,
  type OutboundCall,
} from './outbound-request';

/** Timeout for connecting, and for each reply except the one to the DATA content; RFC 5321, 4.5.3.2, allows more. */
export const REPLY_TIMEOUT_MS = 30_000;
/** Timeout for all replies before the DATA content: ten times REPLY_TIMEOUT_MS, for the ten replies of a login over STARTTLS. nodemailer has none. */
const ENVELOPE_TIMEOUT_MS = 300_000;
const MAX_REPLIES = 30;
/** Long, because servers scan and relay an email before they accept it, and giving up earlier would send it twice. */
const CONTENT_TIMEOUT_MS = 120_000;

/** RFC 5321 4.2.3: mailbox name not allowed. */
const INVALID_RECIPIENT = '553';

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
 * Sends an email over a new connection. Also resolves when the server refuses it.
 * @throws OutboundError
 */
export async function sendMail(network: Network, account: SmtpAccount, mail: OutboundMail, call: OutboundCall): Promise<MailResponse> {
  const { envelope, content } = await call.untilEnd(composeMail(mail, account.from, call.date));
  const socket = await openSocket(network, account, mail, call);
  try {
    return responseOf(await deliver(socket, account, envelope, contentStream(content, call), call), 'content');
  } catch (error) {
    socket.destroy();
    if (!isSmtpError(error)) throw error;
    const refusal = refusalOf(error);
    if (refusal) return responseOf(refusal, stepOf(error));
    const failure = failureOf(error, call.isWritten);
    throw call.error(failure, failure === 'tls_error' ? error.originalCode : undefined);
  }
}

async function openSocket(network: Network, { port, host }: SmtpAccount, mail: OutboundMail, call: OutboundCall): Promise<Socket> {
  const socket = network.connectMail(port, host, call.sending, mail);
  try {
    await call.untilEnd(once(socket, 'connect'));
    return socket;
  } catch (error) {
    socket.destroy();
    throw isSmtpError(error) ? call.error('no_mail_server', error.code) : error;
  }
}

/** nodemailer reads this stream once the server has accepted the envelope. Until then, nothing counts as sent. */
function contentStream(content: Buffer, call: OutboundCall): Readable {
  return new Readable({
    read() {
      void call.startContent().then((mayWrite) => {
        if (!mayWrite) return void this.destroy();
        call.restartTimeout(CONTENT_TIMEOUT_MS);
        this.push(content);
        this.push(null);
      });
    },
  });
}

function isSmtpError(error: unknown): error is SmtpError {
  return error instanceof Error && 'code' in error;
}

/** The reply that refuses the email; undefined if the error is not a refusal. */
function refusalOf({ code, response, responseCode = 0 }: SmtpError): string | undefined {
  if (code === 'EENVELOPE' && !responseCode) return INVALID_RECIPIENT; // nodemailer's own refusal
  return code !== 'ETLS' && responseCode >= 400 && responseCode < 600 ? response : undefined;
}

function responseOf(reply: string, step: MailStep): MailResponse {
  const [codes, status, code] = /^(\d+)(?:[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S))?/.exec(reply)!;
  return { status: Number(status), code, text: reply.slice(codes.length).trim(), step };
}

const STEPS: Partial<Record<string, MailStep>> = {
  EHLO: 'greeting',
  HELO: 'greeting',
  'MAIL FROM': 'sender',
  'RCPT TO': 'recipient',
};

/** nodemailer reports the greeting as an EPROTOCOL of CONN, and a 421 that ends a session later as an ECONNECTION of CONN. */
function stepOf({ code, command = '' }: SmtpError): MailStep {
  if (command === 'CONN' && code === 'EPROTOCOL') return 'greeting';
  if (command === 'API') return 'recipient'; // nodemailer's own refusal
  return command.startsWith('AUTH ') ? 'login' : (STEPS[command] ?? 'content');
}

function failureOf({ code, originalCode }: SmtpError, isWritten: boolean): OutboundFailure {
  if (code === 'ETIMEDOUT') return 'timeout'; // nodemailer's own limits, for the greeting and the TLS handshake
  if (code === 'ETLS' || (code === 'ESOCKET' && originalCode && isTlsError(originalCode))) return 'tls_error';
  if (code === 'EPROTOCOL') return 'not_http';
  return isWritten ? 'no_answer' : 'unreachable';
}

const MAX_REPLY_BYTES = 64 * 1_024;
/** How long to wait after QUIT for the server to close the connection. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Returns the server's reply to the content. @throws OutboundError, and Error from nodemailer, also when a reply refuses the email */
async function deliver(
  socket: Socket,
  account: SmtpAccount,
  envelope: SMTPEnvelope,
  content: Readable,
  call: OutboundCall,
): Promise<string> {
  const { host, user, password, isImplicitTls, ehloName } = account;
  const hasPassword = Boolean(user && password);
  const endSession = () => call.isWritten || call.end('endless_session');
  const timer = setTimeout(endSession, ENVELOPE_TIMEOUT_MS);
  let replies = 0;
  const connection = new SMTPConnection({
    connection: socket,
    host,
    secure: isImplicitTls && !('encrypted' in socket), // the sandbox's sockets need no handshake
    name: ehloName,
    ...tlsOptions(account, isLoopback(socket.remoteAddress ?? '')),
    logger: replyLogger(() => (++replies > MAX_REPLIES ? endSession() : call.restartTimeout(REPLY_TIMEOUT_MS))),
    transactionLog: true,
    maxResponseSize: MAX_REPLY_BYTES,
    socketCloseTimeout: CLOSE_TIMEOUT_MS,
  });
  const runSession = async () => {
    await promisify(connection.connect.bind(connection))();
    if (hasPassword && connection.allowsAuth) await promisify(connection.login.bind(connection))({ user, pass: password });
    const { response } = await promisify(connection.send.bind(connection))(envelope, content);
    connection.quit();
    connection.close();
    return response;
  };
  const failed = new Promise<never>((_, reject) => connection.on('error', reject));
  return call.untilEnd(Promise.race([failed, runSession()])).finally(() => clearTimeout(timer));
}

/** TLS is used if the server offers it, unless required. `rejectUnauthorized` overrides NODE_TLS_REJECT_UNAUTHORIZED=0. */
function tlsOptions({ tls, user, isImplicitTls }: SmtpAccount, isLocal: boolean) {
  const isOptional = tls === undefined && isLocal && !user && !isImplicitTls; // local servers come with self-signed certificates
  return {
    ignoreTLS: tls === 'off',
    opportunisticTLS: isOptional,
    requireTLS: tls === 'on' || (user !== undefined && !isLocal),
    tls: { rejectUnauthorized: !isOptional && tls !== 'insecure' },
  };
}

/** A logger that calls `onReply` for each complete reply: nodemailer reports replies only to its logger. */
function replyLogger(onReply: () => void) {
  const ignore = () => undefined;
  const debug = ({ tnx }: { tnx?: string }) => {
    if (tnx === 'server') onReply();
  };
  return { trace: ignore, debug, info: ignore, warn: ignore, error: ignore, fatal: ignore };
}

/** Composes a text/plain email. nodemailer turns line breaks in headers and addresses into spaces, so no value can add a header or a recipient. */
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
