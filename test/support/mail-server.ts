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

/** The error with which a handler of the server's replies. */
export function reply(responseCode: number, text = 'no'): Error {
  return Object.assign(new Error(text), { responseCode });
}

/** A text/plain mail as a mail program shows it: RFC 5322's headers unfolded, RFC 2047's words and RFC 2045's transfer encodings decoded. */
export function readMail({ content }: ReceivedMail): { headers: Map<string, string>; text: string } {
  const end = content.indexOf('\r\n\r\n');
  const unfolded = content.slice(0, end).replace(/\r\n(?=[ \t])/g, '');
  const headers = new Map(
    unfolded.split('\r\n').map((line) => [line.split(':')[0].toLowerCase(), decodeWords(line.replace(/^\S+ ?/, ''))]),
  );
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const body = decodeBody(content.slice(end + 4), headers.get('content-transfer-encoding'));
  return { headers, text: body.replaceAll('\r\n', '\n').replace(/\n$/, '') };
}

/** White space between encoded words is not shown; a character may be split between them. */
function decodeWords(value: string): string {
  return value.replace(/=\?UTF-8\?([BQ])\?[^?]*\?=(?:\s+=\?UTF-8\?\1\?[^?]*\?=)*/gi, (words) => {
    const parts = Array.from(words.matchAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi), ([, encoding, word]) =>
      encoding.toUpperCase() === 'B' ? Buffer.from(word, 'base64') : quotedPrintable(word.replaceAll('_', ' ')),
    );
    return Buffer.concat(parts).toString('utf8');
  });
}

function decodeBody(body: string, encoding = '7bit'): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding === 'quoted-printable') return quotedPrintable(body.replaceAll('=\r\n', '')).toString('utf8');
  expect([encoding, /^[\0-\x7F]*$/.test(body)]).toEqual(['7bit', true]);
  return body;
}

function quotedPrintable(text: string): Buffer {
  return Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
}
