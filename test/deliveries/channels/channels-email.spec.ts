import fc from 'fast-check';
import { CHANNELS } from '../../../src/deliveries/channels/channel-table';
import type { Outgoing } from '../../../src/deliveries/channels/channel';
import { channelContext, FUZZED, messages, outgoing } from '../../support/outgoing';

function mailOf(message: Partial<Outgoing> = {}, from = 'Front desk <desk@mail.example.com>') {
  const channel = CHANNELS.get('email');
  if (channel?.transport !== 'smtp') throw new Error('email is not sent by SMTP.');
  const { accounts } = channelContext();
  return channel.mail(outgoing(message), channelContext({ accounts: { ...accounts, smtp: { ...accounts.smtp!, from } } }));
}

test('email: a plain text that no machine answers', () => {
  expect(mailOf()).toEqual({
    shown: { title: 'Closed on Monday', text: expect.stringMatching(/Tuesday\.$/) as string, url: expect.any(String) as string },
    to: 'ops@example.com',
    subject: 'Closed on Monday',
    text: 'The shop is closed.\nSee you on Tuesday.\n\nhttps://example.com/hours?day=1&week=2\n\n' + '-- \nNight shift, an alert of acme',
    messageId: '<5f0c1e9ab27d.7@mail.example.com>',
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
});

test('email: without a title, the subject is the first line of the text, of at most 78 characters', () => {
  expect(mailOf({ title: '' }).subject).toBe('The shop is closed.');
  expect(mailOf({ title: '', text: '\n \nSecond line' }).subject).toBe('Second line');
  expect(mailOf({ title: '', text: 'x'.repeat(78) }).subject).toBe('x'.repeat(78));
  expect(mailOf({ title: '', text: 'x'.repeat(79) }).subject).toBe(`${'x'.repeat(77)}…`);
  expect(mailOf({ title: 't'.repeat(200) }).subject).toBe('t'.repeat(200));
});

test('email: no line break gets into a header', () => {
  expect(mailOf({ title: 'a\r\nBcc: b@example.com\u2028c\u0085d' }).subject).toBe('a Bcc: b@example.com c d');
  fc.assert(
    fc.property(messages, (message) => {
      const { subject, text } = mailOf(message);
      expect(text).toBe(`${message.text}\n\n${message.url && `${message.url}\n\n`}-- \nNight shift, an alert of acme`);
      expect(subject).toMatch(/^[^\p{Cc}\u2028\u2029]*$/u);
      expect(subject.isWellFormed()).toBe(true);
    }),
    FUZZED,
  );
});

test('email: the Message-ID has the domain of MAIL_FROM in ASCII, and a test’s own id', () => {
  expect(mailOf({}, 'desk@example.com').messageId).toBe('<5f0c1e9ab27d.7@example.com>');
  expect(mailOf({}, '"Desk @ front" <desk@exämple.com>').messageId).toBe('<5f0c1e9ab27d.7@xn--exmple-cua.com>');
  expect(mailOf({ part: null, webhookId: 'msg_7' }).messageId).toBe('<delivery-7@mail.example.com>');
  const test = { messageId: null, deliveryId: null, part: null, webhookId: 'msg_test_x1' };
  expect(mailOf(test).messageId).toBe('<msg_test_x1@mail.example.com>');
});
