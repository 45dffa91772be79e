import fc from 'fast-check';
import { escapeDiscord } from '../../../src/deliveries/channels/discord.channel';
import { ADDRESSES, expectSaid, FUZZED, jsonOf, messages, requestOf } from '../../support/outgoing';

interface DiscordMessage {
  content: string;
}

/** Discord removes a backslash before what is neither a letter, nor a digit, nor white space. */
const ESCAPE = /\\([^0-9A-Za-z\s])/g;
const shown = (content: string) => content.replace(ESCAPE, '$1');

/** Formats of docs.discord.com/developers/reference#message-formatting and of its help page on Markdown, without escaped characters. */
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

test('discord: the message, without mentions that notify', () => {
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
  ['-# subtext', String.raw`\-\# subtext`],
  ['> quote\n>>> quotes', `\\> quote\n\\>\\>\\> quotes`],
  ['- one\n  - two\n+ three\n12. twelve', `\\- one\n  \\- two\n\\+ three\n12\\. twelve`],
  ['[click](https://evil.example)', String.raw`\[click\](https\://evil.example)`],
  ['<https://evil.example>', String.raw`\<https\://evil.example\>`],
  ['@everyone @here', String.raw`\@everyone \@here`],
  ['<@80351110224678912> <@!8> <@&16> <#10>', String.raw`\<\@80351110224678912\> \<\@!8\> \<\@&16\> \<\#10\>`],
  ['</airhorn:816437322781949972> <id:customize>', String.raw`\</airhorn:816437322781949972\> \<id:customize\>`],
  ['<a:b1nzy:392938283556143104> :smile:', String.raw`\<a\:b1nzy:392938283556143104\> \:smile:`],
  ['<t:1618953630:d>', String.raw`\<t\:1618953630:d\>`],
  [String.raw`C:\*.txt ¯\_(ツ)_/¯`, String.raw`C:\\\*.txt ¯\\\_(ツ)\_/¯`],
])('discord: %j is shown as it is', (text, escaped) => {
  expect(escapeDiscord(text)).toBe(escaped);
  expect(shown(escaped)).toBe(text);
  expect(markupOf(escaped)).toEqual([]);
});

/** Reads content along the text it was made of: what it shows, and what of it is outside the text's addresses. */
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

test('discord: an ordinary text needs no backslash', () => {
  const text = 'Olá, João! Amanhã (21/11) às 9:30 - 10:00, R$ 45.50 & 10% off; "ok"?';
  expect(escapeDiscord(text)).toBe(text);
});

test('discord: a mention can’t hide in the url, which stays the same for a URL parser', () => {
  const url = 'HTTPS://example.com/<@1>?q=<#2>&r=a_b_c*d*#<t:3>';
  const { content } = jsonOf<DiscordMessage>('discord', { title: '', text: 'x', url });
  const sent = content.slice(2);
  expect(sent).toBe('https://example.com/%3C@1%3E?q=%3C#2%3E&r=a_b_c*d*#%3Ct:3%3E');
  expect(new URL(sent).href).toBe(new URL(url).href);
});

test('discord: whatever the message, at most 2,000 units without markup, half escapes or half characters', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const { content } = jsonOf<DiscordMessage>('discord', message);
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

test('discord: a url that leaves no room is left out', () => {
  const url = `https://example.com/${'u'.repeat(1_979)}`;
  expect(jsonOf<DiscordMessage>('discord', { title: '', text: 'Text', url }).content).toBe('Text');
  const shorter = url.slice(0, -1);
  expect(jsonOf<DiscordMessage>('discord', { title: '', text: 'Text', url: shorter }).content).toBe(`…\n${shorter}`);
});
