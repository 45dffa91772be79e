import fc from 'fast-check';
import { expectSaid, FUZZED, jsonOf, messages, outgoing, requestOf } from '../../support/outgoing';

interface ChatMessage {
  text: string;
  [key: string]: unknown;
}

interface Run {
  type: string;
  text?: string;
  url?: string;
}

interface SlackMessage extends ChatMessage {
  blocks: [{ elements: [{ elements: Run[] }] }];
}

const runsOf = ({ blocks }: SlackMessage) => blocks[0].elements[0].elements;
/** What the runs show. */
const shownBy = (message: SlackMessage) => runsOf(message).map(({ text, url }) => text ?? url);
const decoded = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

test('slack: runs as they are, with a bold title and a link; a text with entities, and no mrkdwn', () => {
  expect(requestOf('slack')).toMatchObject({ url: 'https://hooks.slack.example.com/1', isTrusted: false, needsNewConnection: false });
  expect(jsonOf('slack', { title: 'A & B', text: '<!channel> <@U1> *bold* &amp;' })).toEqual({
    text: 'A &amp; B\n&lt;!channel&gt; &lt;@U1&gt; *bold* &amp;amp;\nhttps://example.com/hours?day=1&amp;week=2',
    mrkdwn: false,
    blocks: [
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'A & B', style: { bold: true } },
              { type: 'text', text: '\n' },
              { type: 'text', text: '<!channel> <@U1> *bold* &amp;' },
              { type: 'text', text: '\n' },
              { type: 'link', url: 'https://example.com/hours?day=1&week=2' },
            ],
          },
        ],
      },
    ],
  });
  expect(runsOf(jsonOf('slack', { title: '', text: 'x', url: '' }))).toEqual([{ type: 'text', text: 'x' }]);
});

test('slack: the longest message is cut at 12,000 bytes of blocks, in them and in the text', () => {
  const message = { title: '&'.repeat(200), text: '💈'.repeat(4_000), url: `https://a.example/?${'&'.repeat(2_029)}` };
  const sent = jsonOf<SlackMessage>('slack', message);
  const bytes = Buffer.byteLength(JSON.stringify(sent.blocks));
  expect([bytes <= 12_000, bytes > 12_000 - 4]).toEqual([true, true]);
  expect(shownBy(sent)).toEqual([message.title, '\n', expect.stringMatching(/^(💈)+…$/u), '\n', message.url]);
  expect(decoded(sent.text)).toBe(shownBy(sent).join(''));
});

test('slack: entities are all that is escaped in the text, which says what the blocks show', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const sent = jsonOf<SlackMessage>('slack', message);
      expect(sent.text).toMatch(/^([^&<>]|&amp;|&lt;|&gt;)*$/);
      expect(sent.text.length).toBeLessThanOrEqual(40_000);
      expect(decoded(sent.text)).toBe(shownBy(sent).join(''));
      expect(Buffer.byteLength(JSON.stringify(sent.blocks))).toBeLessThanOrEqual(12_000);
      expectSaid(decoded(sent.text), message);
    }),
    FUZZED,
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
  expect(jsonOf('telegram', { text })).toEqual({
    chat_id: '-1001234567890',
    text: `${title}\n${text}\n${url}`,
    entities: [{ type: 'bold', offset: 0, length: title.length }],
  });
  expect(jsonOf('telegram', { title: '', text, url: '' })).toEqual({ chat_id: '-1001234567890', text });
});

test('telegram: at most 4,096 UTF-16 units, title and url whole', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const { text, entities } = jsonOf<ChatMessage>('telegram', message);
      expect(text.length).toBeLessThanOrEqual(4_096);
      expect(entities).toEqual(message.title ? [{ type: 'bold', offset: 0, length: message.title.length }] : undefined);
      expect(text.endsWith(message.url)).toBe(true);
      expectSaid(text, message);
    }),
    FUZZED,
  );
  expect(jsonOf<ChatMessage>('telegram', { title: '', text: '💈'.repeat(4_000), url: '' }).text).toBe(`${'💈'.repeat(2_047)}…`);
});
