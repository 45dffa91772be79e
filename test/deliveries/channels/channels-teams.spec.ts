import fc from 'fast-check';
import { renderCard } from '../../support/adaptive-card';
import { ADDRESSES, expectSaid, FUZZED, jsonOf, messages, requestOf } from '../../support/outgoing';

const MAX_BYTES = 28 * 1_024;
const CONTENT_TYPE = 'application/vnd.microsoft.card.adaptive';

interface TeamsMessage {
  attachments: [{ content: { body: { inlines: { text: string }[] }[] } }];
}

const cardOf = (message = {}) => jsonOf<TeamsMessage>('microsoft_teams', message).attachments[0].content;
const textsOf = (message = {}) => renderCard(cardOf(message)).blocks.map(({ text }) => text);
const run = (text: string) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] });
const linkTo = (url: string) => ({ type: 'TextRun', text: url, selectAction: { type: 'Action.OpenUrl', url } });

test('teams: a message with a card of plain runs, whose url is a link', () => {
  expect(requestOf('microsoft_teams')).toMatchObject({
    url: 'https://teams.example.com/1',
    isTrusted: false,
    needsNewConnection: false,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
  expect(jsonOf('microsoft_teams', { title: '**Closed**', text: 'a [b](http://c)\n- d', url: 'https://a.example' })).toEqual({
    type: 'message',
    attachments: [{ contentType: CONTENT_TYPE, content: expect.objectContaining({ type: 'AdaptiveCard', version: '1.2' }) as unknown }],
  });
  const [title, text, url] = cardOf({ title: '**Closed**', text: 'a [b](http://c)\n- d', url: 'https://a.example' }).body;
  expect(title).toEqual({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: '**Closed**', weight: 'Bolder', size: 'Medium' }] });
  const inlines = [{ type: 'TextRun', text: 'a [b](' }, linkTo('http://c'), { type: 'TextRun', text: ')\n- d' }];
  expect(text).toEqual({ type: 'RichTextBlock', inlines });
  expect(url).toEqual({ type: 'RichTextBlock', inlines: [linkTo('https://a.example')] });
});

test('teams: Microsoft’s renderer accepts the card and shows title, text and url below each other', () => {
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

test('teams: the renderer replaces a date in a run, but not in the message', () => {
  const date = '{{DATE(2017-02-14T06:00:00Z, SHORT)}} {{{TIME(2017-02-14T06:00:00Z)}}}';
  const single = { type: 'AdaptiveCard', version: '1.2', body: [run(date)] };
  expect(renderCard(single).blocks[0].text).not.toContain('DATE(');
  expect(textsOf({ title: date, text: date, url: '' })).toEqual([date, date]);
});

test('teams: at most 28 KB of UTF-8, cut between characters, title and url whole', () => {
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

test('teams: the longest message is cut, and stays near the limit', () => {
  const url = `https://example.com/${'💈'.repeat(2_028)}`;
  const { body } = requestOf('microsoft_teams', { title: '💈'.repeat(200), text: '💈'.repeat(4_000), url });
  expect(Buffer.byteLength(body)).toBeGreaterThan(MAX_BYTES - 4);
  const [, text, link] = textsOf({ title: '💈'.repeat(200), text: '💈'.repeat(4_000), url });
  expect(text).toMatch(/^(💈)+…$/u);
  expect(link).toBe(url);
});
