import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { type ReceivedMail, receiveMail } from '../../../src/programs/sandbox/smtp-receiver';

test('a character whose bytes arrive in two packets is received intact', async () => {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const mails: ReceivedMail[] = [];
  receiveMail(socket, (mail) => Promise.resolve(void mails.push(mail)).then(() => undefined));
  const bytes = Buffer.from('DATA\r\nSubject: Recepção\r\n\r\nOlá\r\n.\r\n');
  const middle = bytes.indexOf('ã') + 1;
  socket.push(bytes.subarray(0, middle));
  socket.push(bytes.subarray(middle));
  socket.push(null);
  await once(socket, 'end');
  expect(mails).toMatchObject([{ raw: 'Subject: Recepção\r\n\r\nOlá' }]);
});
