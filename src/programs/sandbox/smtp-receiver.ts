import type { Duplex } from 'node:stream';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** The whole content, with its headers and without dot stuffing (RFC 5321 4.5.2). */
  raw: string;
}

const REPLIES = new Map([
  ['EHLO', '250-sandbox\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN'],
  ['AUTH', '235 OK'],
  ['DATA', '354 Continue'],
  ['QUIT', '221 Bye'],
]);

/**
 * Accepts one mail after another on a connection, without encryption. `reply` gives the reply to the content; undefined for none. Not
 * smtp-server 3.21: it waits 100 ms before each greeting, so that nine attempts take a second.
 */
export function receiveMail(socket: Duplex, reply: (mail: ReceivedMail) => Promise<string | undefined>): void {
  let received = '';
  let mail: ReceivedMail = { from: '', to: [], raw: '' };
  let isContent = false;
  const say = (text: string | undefined) => text !== undefined && socket.write(`${text}\r\n`);

  const onContent = (content: string) => {
    isContent = false;
    void reply({ ...mail, raw: content.replace(/^\.\./gm, '.') }).then(say);
  };

  const onCommand = (line: string) => {
    const [verb] = line.toUpperCase().split(' ');
    const [, address = ''] = /<(.*?)>/.exec(line) ?? [];
    if (verb === 'MAIL') mail = { from: address, to: [], raw: '' };
    if (verb === 'RCPT') mail.to.push(address);
    isContent = verb === 'DATA';
    say(REPLIES.get(verb) ?? '250 OK');
    if (verb === 'QUIT') socket.end();
  };

  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
    for (;;) {
      const mark = isContent ? '\r\n.\r\n' : '\r\n';
      const end = received.indexOf(mark);
      if (end === -1) return;
      const part = received.slice(0, end);
      received = received.slice(end + mark.length);
      if (isContent) onContent(part);
      else onCommand(part);
    }
  });
  say('220 sandbox');
}
