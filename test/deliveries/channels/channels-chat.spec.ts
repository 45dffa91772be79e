import fc from 'fast-check';
import { escapeDiscord } from '../../../src/deliveries/channels/discord.channel';
import { renderCard } from './adaptive-card';
import { ADDRESSES, expectSaid, FUZZED, jsonOf, messages, outgoing, requestOf } from '../../support/areas/outgoing';

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
/** The text of the runs. */
const shownBy = (message: SlackMessage) => runsOf(message).map(({ text, url }) => text ?? url);
const decoded = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

test('slack: the message has rich text with a bold title and a link, and mrkdwn is off', () => {
  const runs = [
    { type: 'text', text: 'A & B', style: { bold: true } },
    { type: 'text', text: '\n' },
    { type: 'text', text: '<!channel> <@U1> *bold* &amp;' },
    { type: 'text', text: '\n' },
    { type: 'link', url: 'https://example.com/hours?day=1&week=2' },
  ];
  expect(requestOf('slack')).toMatchObject({ url: 'https://hooks.slack.example.com/1', isTrusted: false, needsNewConnection: false });
  expect(jsonOf('slack', { title: 'A & B', text: '<!channel> <@U1> *bold* &amp;' })).toEqual({
    text: 'A &amp; B\n&lt;!channel&gt; &lt;@U1&gt; *bold* &amp;amp;\nhttps://example.com/hours?day=1&amp;week=2',
    mrkdwn: false,
    blocks: [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: runs }] }],
  });
  expect(runsOf(jsonOf('slack', { title: '', text: 'x', url: '' }))).toEqual([{ type: 'text', text: 'x' }]);
});

test('slack: the longest message is truncated at 12,000 bytes of blocks', () => {
  const message = { title: '&'.repeat(200), text: '💈'.repeat(4_000), url: `https://a.example/?${'&'.repeat(2_029)}` };
  const sent = jsonOf<SlackMessage>('slack', message);
  const bytes = Buffer.byteLength(JSON.stringify(sent.blocks));
  expect([bytes <= 12_000, bytes > 12_000 - 4]).toEqual([true, true]);
  expect(shownBy(sent)).toEqual([message.title, '\n', expect.stringMatching(/^(💈)+…$/u), '\n', message.url]);
  expect(decoded(sent.text)).toBe(shownBy(sent).join(''));
});

test('slack: the fallback text equals the blocks, with entities escaped', () => {
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

test('telegram: calls sendMessage without parse_mode', () => {
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

test('telegram: any message has at most 4,096 UTF-16 units, keeping title and url', () => {
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

/** Discord removes a backslash before anything but letters, digits and white space. */
const ESCAPE = /\\([^0-9A-Za-z\s])/g;
const shown = (content: string) => content.replace(ESCAPE, '$1');

/** Formats from docs.discord.com/developers/reference#message-formatting and Discord's help page on Markdown. */
const MARKUP = [
  /\\|\*|_|~~|\|\||`/,
  /^\s*([-*+]|\d+\.)\s/m,
  /^\s*(#{1,3}|>|>>>)\s/m,
  /^-#/m,
  /\[[^\]]*\]\(/,
  /<(@[!&]?|#|\/|a?:\w+:|t:|id:)[^>]*>/,
  /@everyone|@here/,
  /:[\w+-]+:/,
  /\w+:\/\//,
];
const markupOf = (content: string) => MARKUP.filter((format) => format.test(content.replace(ESCAPE, '·')));

test('discord: the message allows no mentions', () => {
  expect(requestOf('discord')).toMatchObject({ url: 'https://discord.example.com/1', isTrusted: false, needsNewConnection: false });
  expect(jsonOf('discord')).toEqual({
    content: '**Closed on Monday**\nThe shop is closed.\nSee you on Tuesday.\nhttps://example.com/hours?day=1&week=2',
    allowed_mentions: { parse: [] },
  });
});

test.each([
  ['**bold** *italic* __underline__ _italic_', String.raw`\*\*bold\*\* \*italic\* \_\_underline\_\_ \_italic\_`],
  ['~~gone~~ ||spoiler|| `code`', String.raw`\~\~gone\~\~ \|\|spoiler\|\| ${'\\`'}code${'\\`'}`],
  ['# heading', String.raw`\# heading`],
  ['> quote\n>>> quotes', `\\> quote\n\\>\\>\\> quotes`],
  ['- one\n  - two\n+ three\n12. twelve', `\\- one\n  \\- two\n\\+ three\n12\\. twelve`],
  ['[click](https://evil.example)', String.raw`\[click\](https\://evil.example)`],
  ['@everyone @here', String.raw`\@everyone \@here`],
  ['<@80351110224678912> <@!8> <@&16> <#10>', String.raw`\<\@80351110224678912\> \<\@!8\> \<\@&16\> \<\#10\>`],
  ['</airhorn:816437322781949972> <id:customize>', String.raw`\</airhorn:816437322781949972\> \<id:customize\>`],
  ['<a:b1nzy:392938283556143104> :smile:', String.raw`\<a\:b1nzy:392938283556143104\> \:smile:`],
  [String.raw`C:\*.txt ¯\_(ツ)_/¯`, String.raw`C:\\\*.txt ¯\\\_(ツ)\_/¯`],
])('discord: %j is escaped and shown literally', (text, escaped) => {
  expect(escapeDiscord(text)).toBe(escaped);
  expect(shown(escaped)).toBe(text);
  expect(markupOf(escaped)).toEqual([]);
});

/** Compares content with its source text: what it shows, and what is outside the text's addresses. */
function readAlong(content: string, text: string): { said: string; outside: string } {
  const addresses = new Map(Array.from(text.matchAll(ADDRESSES), ({ 0: address, index }) => [index, address]));
  let [said, outside, at] = ['', '', 0];
  while (at < content.length) {
    const address = addresses.get(said.length);
    const part = address && content.startsWith(address, at) ? address : /^(\\[^0-9A-Za-z\s]|[^])/.exec(content.slice(at))![0];
    said += part === address ? part : shown(part);
    outside += part === address ? '·' : part;
    at += part.length;
  }
  return { said, outside };
}

test('discord: ordinary text is not escaped', () => {
  const text = 'Olá, João! Amanhã (21/11) às 9:30 - 10:00, R$ 45.50 & 10% off; "ok"?';
  expect(escapeDiscord(text)).toBe(text);
});

test('discord: mentions in the url are percent-encoded', () => {
  const url = 'HTTPS://example.com/<@1>?q=<#2>&r=a_b_c*d*#<t:3>';
  const { content } = jsonOf<{ content: string }>('discord', { title: '', text: 'x', url });
  const sent = content.slice(2);
  expect(sent).toBe('https://example.com/%3C@1%3E?q=%3C#2%3E&r=a_b_c*d*#%3Ct:3%3E');
  expect(new URL(sent).href).toBe(new URL(url).href);
});

test('discord: any message has at most 2,000 units, no markup and no split escapes', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const { content } = jsonOf<{ content: string }>('discord', message);
      expect(content.length).toBeLessThanOrEqual(2_000);
      expect(content.isWellFormed()).toBe(true);
      const title = message.title && escapeDiscord(message.title);
      expect(markupOf(title)).toEqual([]);
      const heading = title && `**${title}**\n`;
      expect(content.startsWith(heading)).toBe(true);
      const rest = content.slice(heading.length);
      const url = rest.endsWith(`\n${message.url}`) ? message.url : '';
      const text = url ? rest.slice(0, -url.length - 1) : rest;
      const { said, outside } = readAlong(text, message.text);
      expect(markupOf(outside)).toEqual([]);
      expectSaid(said, { title: '', text: message.text, url: '' });
    }),
    FUZZED,
  );
});

test('discord: a url that leaves no room is omitted', () => {
  const url = `https://example.com/${'u'.repeat(1_979)}`;
  expect(jsonOf<{ content: string }>('discord', { title: '', text: 'Text', url }).content).toBe('Text');
  const shorter = url.slice(0, -1);
  expect(jsonOf<{ content: string }>('discord', { title: '', text: 'Text', url: shorter }).content).toBe(`…\n${shorter}`);
});

const MAX_BYTES = 28 * 1_024;

interface TeamsMessage {
  attachments: [{ content: { body: { inlines: { text: string }[] }[] } }];
}

const cardOf = (message = {}) => jsonOf<TeamsMessage>('microsoft_teams', message).attachments[0].content;
const textsOf = (message = {}) => renderCard(cardOf(message)).blocks.map(({ text }) => text);
const run = (text: string) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] });
const linkTo = (url: string) => ({ type: 'TextRun', text: url, selectAction: { type: 'Action.OpenUrl', url } });

test('teams: the card has plain text and a linked url', () => {
  expect(requestOf('microsoft_teams')).toMatchObject({
    url: 'https://teams.example.com/1',
    isTrusted: false,
    needsNewConnection: false,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
  const message = { title: '**Closed**', text: 'a [b](http://c)\n- d', url: 'https://a.example' };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  const content = expect.objectContaining({ type: 'AdaptiveCard', version: '1.2' }) as unknown;
  expect(jsonOf('microsoft_teams', message)).toEqual({ type: 'message', attachments: [{ contentType, content }] });
  const [title, text, url] = cardOf(message).body;
  expect(title).toEqual({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: '**Closed**', weight: 'Bolder', size: 'Medium' }] });
  const inlines = [{ type: 'TextRun', text: 'a [b](' }, linkTo('http://c'), { type: 'TextRun', text: ')\n- d' }];
  expect(text).toEqual({ type: 'RichTextBlock', inlines });
  expect(url).toEqual({ type: 'RichTextBlock', inlines: [linkTo('https://a.example')] });
});

test('teams: Microsoft’s renderer accepts the card and shows title, text and url as blocks', () => {
  expect(renderCard(cardOf({ title: '*T*', text: '<b>x</b>\n# y http://z/?1, *', url: 'https://a.example/?b&c' }))).toEqual({
    problems: [],
    blocks: [
      { text: '*T*', links: [] },
      { text: '<b>x</b>\n# y http://z/?1, *', links: ['http://z/?1'] },
      { text: 'https://a.example/?b&c', links: ['https://a.example/?b&c'] },
    ],
  });
  expect(renderCard(cardOf({ title: '', text: 'x', url: '' })).blocks).toEqual([{ text: 'x', links: [] }]);
});

test('teams: date placeholders in a message are not replaced', () => {
  const date = '{{DATE(2017-02-14T06:00:00Z, SHORT)}} {{{TIME(2017-02-14T06:00:00Z)}}}';
  const single = { type: 'AdaptiveCard', version: '1.2', body: [run(date)] };
  expect(renderCard(single).blocks[0].text).not.toContain('DATE(');
  expect(textsOf({ title: date, text: date, url: '' })).toEqual([date, date]);
});

test('teams: any message has at most 28 KB of UTF-8, keeping title and url', () => {
  fc.assert(
    fc.property(messages, fc.integer({ min: 1, max: 4 }), (message, times) => {
      const text = message.text.repeat(times);
      const { body } = requestOf('microsoft_teams', { ...message, text });
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_BYTES);
      const { problems, blocks } = renderCard(cardOf({ ...message, text }));
      expect(problems).toEqual([]);
      expectSaid(blocks.map((block) => block.text).join('\n'), { ...message, text });
      const links = blocks.flatMap((block) => block.links);
      const [shown] = message.title ? blocks.slice(1) : blocks;
      expect(new Set(links)).toEqual(new Set([...(shown.text.match(ADDRESSES) ?? []), ...(message.url ? [message.url] : [])]));
    }),
    FUZZED,
  );
});

test('teams: the longest message is truncated close to the limit', () => {
  const message = { title: '💈'.repeat(200), text: '💈'.repeat(4_000), url: `https://example.com/${'💈'.repeat(2_028)}` };
  expect(Buffer.byteLength(requestOf('microsoft_teams', message).body)).toBeGreaterThan(MAX_BYTES - 4);
  const [, text, link] = textsOf(message);
  expect(text).toMatch(/^(💈)+…$/u);
  expect(link).toBe(message.url);
});
