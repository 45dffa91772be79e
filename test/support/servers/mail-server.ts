import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerEnvelope, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  content: string;
  envelope: SMTPServerEnvelope;
  /** Whether it came over TLS. */
  secure: boolean;
  /** Who had logged in. */
  user?: string;
}

/** An SMTP server on 127.0.0.1 that accepts every mail, and the login user:password, unless the options say otherwise. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  readonly server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.server = new SMTPServer({
      authOptional: true,
      closeTimeout: 1,
      disableReverseLookup: true,
      onAuth: ({ username, password }, _session, done) =>
        done(username === 'user' && password === 'password' ? null : reply(535), { user: username }),
      onData: (stream, { envelope, secure, user }, done) =>
        void text(stream).then((content) => {
          this.mails.push({ content, envelope, secure, user });
          done();
        }),
      ...options,
    });
    this.server.on('error', () => undefined);
  }

  static async start(options: SMTPServerOptions = {}): Promise<MailServer> {
    const mailServer = new MailServer(options);
    await once(mailServer.server.listen(0, '127.0.0.1'), 'listening');
    return mailServer;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}

/** An error that a handler of the server passes on as its reply. */
export function reply(responseCode: number, text = 'no'): Error {
  return Object.assign(new Error(text), { responseCode });
}
