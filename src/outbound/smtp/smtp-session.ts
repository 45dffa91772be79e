import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import SMTPConnection, { type SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import type { SmtpAccount } from '../../config/channel-accounts';
import { isLoopback } from '../../common/hosts/address-rules';

const MAX_REPLY_BYTES = 64 * 1_024;
/** Until the server closes its side after QUIT. */
const CLOSE_MS = 1_000;

/** nodemailer's SMTP client on a connected socket, for one mail. */
export class SmtpSession {
  private readonly connection: SMTPConnection;
  private readonly failure: Promise<never>;
  private readonly hasPassword: boolean;

  constructor(
    socket: Socket,
    private readonly account: SmtpAccount,
  ) {
    this.hasPassword = Boolean(account.user && account.password);
    this.connection = new SMTPConnection({
      connection: socket,
      host: account.host,
      secure: account.isImplicitTls,
      requireTLS: this.hasPassword && !isLoopback(socket.remoteAddress ?? ''), // otherwise if the server offers it
      tls: { rejectUnauthorized: true }, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
      maxResponseSize: MAX_REPLY_BYTES,
      socketCloseTimeout: CLOSE_MS,
    });
    this.failure = new Promise((_, reject) => this.connection.on('error', reject));
    this.failure.catch(() => undefined); // nobody waits for it after the last reply
  }

  /** Returns the server's reply to the content. @throws Error nodemailer's, for any other reply than success, too */
  async deliver(envelope: SMTPEnvelope, content: Readable): Promise<string> {
    const { connection } = this;
    await this.untilFailure(promisify(connection.connect.bind(connection))());
    if (this.hasPassword && connection.allowsAuth) await this.logIn();
    const { response } = await this.untilFailure(promisify(connection.send.bind(connection))(envelope, content));
    connection.quit();
    connection.close();
    return response;
  }

  private async logIn(): Promise<void> {
    const login = promisify(this.connection.login.bind(this.connection));
    await this.untilFailure(login({ user: this.account.user, pass: this.account.password }));
  }

  private untilFailure<T>(work: Promise<T>): Promise<T> {
    return Promise.race([this.failure, work]);
  }
}
