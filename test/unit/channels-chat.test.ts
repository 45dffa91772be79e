import fc from 'fast-check';
import { jsonOf, messages, outgoing, requestOf } from '../support/outgoing';

interface ChatMessage {
  text: string;
  [key: string]: unknown;
}

test('slack: a text with entities, and no mrkdwn', () => {
  expect(requestOf('slack')).toMatchObject({ url: 'https://hooks.slack.example.com/1', isTrusted: false, needsNewConnection: false });
  expect(jsonOf('slack', { title: 'A & B', text: '<!channel> <@U1> *bold* &amp;' })).toEqual({
    text: 'A &amp; B\n&lt;!channel&gt; &lt;@U1&gt; *bold* &amp;amp;\nhttps://example.com/hours?day=1&amp;week=2',
    mrkdwn: false,
  });
});

test('slack: the longest message stays whole, as Slack takes 40,000 characters', () => {
  const longest = { title: '&'.repeat(200), text: '<'.repeat(4_000), url: `https://a.example/?${'&'.repeat(2_029)}` };
  const { text } = jsonOf<ChatMessage>('slack', longest);
  expect(text.length).toBeLessThanOrEqual(40_000);
  expect(text).not.toContain('…');
});

test('slack: entities are all that is escaped, and decoding them gives the message', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const { text } = jsonOf<ChatMessage>('slack', message);
      expect(text).toMatch(/^([^&<>]|&amp;|&lt;|&gt;)*$/);
      const decoded = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
      expect(decoded).toBe([message.title, message.text, message.url].filter(Boolean).join('\n'));
    }),
  );
});

test('telegram: sendMessage of the Bot API, without parse_mode', () => {
  expect(requestOf('telegram')).toMatchObject({
    url: 'https://api.telegram.org/bot123456789:an-example-token/sendMessage',
    isTrusted: true,
    needsNewConnection: false,
    headers: { 'content-type': 'application/json' },
  });
  const { title, text, url } = outgoing({ text: '*bold* <b>b</b> & _i_' });
  expect(jsonOf('telegram', { text })).toEqual({ chat_id: '-1001234567890', text: `${title}\n${text}\n${url}` });
});

test('telegram: at most 4,096 UTF-16 units, title and url whole', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const { text } = jsonOf<ChatMessage>('telegram', message);
      expect(text.length).toBeLessThanOrEqual(4_096);
      expect(text.isWellFormed()).toBe(true);
      expect(text.startsWith(message.title)).toBe(true);
      expect(text.endsWith(message.url)).toBe(true);
    }),
  );
  expect(jsonOf<ChatMessage>('telegram', { title: '', text: '💈'.repeat(4_000), url: '' }).text).toBe(`${'💈'.repeat(2_047)}…`);
});
