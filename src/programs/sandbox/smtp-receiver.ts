import type { Duplex } from 'node:stream';
import { decodeTransfer } from '../../platform/http/input/transfer-encoding';

export interface ReceivedMail {
  from: string;
  to: string[];
  subject: string;
  text: string;
  /** The whole content, with its headers and without dot stuffing (RFC 5321 4.5.2). */
  raw: string;
}

/** Accepts one mail after another on a connection, without encryption. `reply` gives the reply to the content; undefined for none. */
export function receiveMail(socket: Duplex, reply: (mail: ReceivedMail) => Promise<string | undefined>): void {
  let received = '';
  let [from, to]: [string, string[]] = ['', []];
  let isContent = false;
  const say = (text: string) => socket.write(`${text}\r\n`);

  const onContent = async (content: string) => {
    isContent = false;
    const raw = content.replace(/^\.\./gm, '.');
    const answer = await reply({ from, to, raw, ...readContent(raw) });
    if (answer !== undefined) say(answer);
  };

  const onCommand = (line: string) => {
    const [, verb, rest] = /^(\S+) ?(.*)$/.exec(line) ?? ['', '', ''];
    switch (verb.toUpperCase()) {
      case 'EHLO':
        return say('250-sandbox\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN');
      case 'AUTH':
        return say('235 OK');
      case 'MAIL':
        [from, to] = [addressIn(rest), []];
        return say('250 OK');
      case 'RCPT':
        to.push(addressIn(rest));
        return say('250 OK');
      case 'DATA':
        isContent = true;
        return say('354 Continue');
      case 'QUIT':
        say('221 Bye');
        return socket.end();
      default:
        return say('250 OK');
    }
  };

  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
    for (;;) {
      const mark = isContent ? '\r\n.\r\n' : '\r\n';
      const end = received.indexOf(mark);
      if (end === -1) return;
      const part = received.slice(0, end);
      received = received.slice(end + mark.length);
      if (isContent) void onContent(part);
      else onCommand(part);
    }
  });
  say('220 sandbox');
}

function addressIn(parameters: string): string {
  return /<(.*?)>/.exec(parameters)?.[1] ?? '';
}

/** Reads what nodemailer composes: one part of text, in one of three encodings. */
function readContent(raw: string): Pick<ReceivedMail, 'subject' | 'text'> {
  const [head, ...rest] = raw.split('\r\n\r\n');
  const headers = new Map(
    head
      .replace(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line): [string, string] => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = rest.join('\r\n\r\n');
  const text = decodeTransfer(body, headers.get('content-transfer-encoding')).replaceAll('\r\n', '\n').replace(/\n$/, '');
  return { subject: decodeWords(headers.get('subject') ?? ''), text };
}

/** Decodes encoded words in UTF-8 (RFC 2047). */
function decodeWords(text: string): string {
  return text.replace(/(\?=)\s+(?==\?)/g, '$1').replace(/=\?utf-8\?([BQ])\?(.*?)\?=/gi, (_, encoding: string, word: string) => {
    return /b/i.test(encoding) ? decodeTransfer(word, 'base64') : decodeTransfer(word.replaceAll('_', ' '), 'quoted-printable');
  });
}
