import fc from 'fast-check';
import { cut, escapeEntities, fit, lines, type Wording } from '../../../src/deliveries/channels/text-fit';
import { messages } from '../../support/outgoing';

const fitTo = (max: number, wording: Partial<Wording>, render = lines) =>
  fit({ title: '', text: '', url: '', ...wording }, render, (rendered) => rendered.length <= max).rendered;

test('title, text and url stand one below the other, without empty ones', () => {
  expect(lines({ title: 'Title', text: 'Text\nmore', url: 'https://a.example' })).toBe('Title\nText\nmore\nhttps://a.example');
  expect(lines({ title: '', text: 'Text', url: '' })).toBe('Text');
});

test('the text gives way; title and url stay whole', () => {
  expect(fitTo(20, { title: 'Title', text: 'A long text', url: 'https://a' })).toBe('Title\nA l…\nhttps://a');
});

test('a text that fits exactly is not cut', () => {
  expect(fitTo(11, { text: 'A long text' })).toBe('A long text');
  expect(fitTo(10, { text: 'A long text' })).toBe('A long te…');
});

test('a url that leaves no room for a text of one character is left out', () => {
  expect(fitTo(11, { text: 'A long text', url: 'https://a' })).toBe('…\nhttps://a');
  expect(fitTo(10, { text: 'A long text', url: 'https://a' })).toBe('A long te…');
  expect(fitTo(11, { text: 'A long text', url: 'https://a.example/' })).toBe('A long text');
});

test('a title that is too long by itself is cut', () => {
  expect(fitTo(4, { title: 'Title', text: 'Text', url: 'https://a' })).toBe('Tit…');
  expect(fitTo(0, { title: 'Title', text: 'Text' })).toBe('');
});

test('a cut comes between code points', () => {
  expect(cut('💈💈💈', 6)).toBe('💈💈💈');
  expect(cut('💈💈💈', 5)).toBe('💈💈…');
  expect(cut('💈💈💈', 4)).toBe('💈…');
  expect(cut('💈', 1)).toBe('…');
});

test('an address that would be cut, or touched by the …, is left out whole', () => {
  const text = 'See https://a.example/b, then more';
  expect(fitTo(34, { text })).toBe(text);
  expect(fitTo(33, { text })).toBe('See https://a.example/b, then mo…');
  expect(fitTo(26, { text })).toBe('See https://a.example/b, …');
  for (let max = 5; max < 26; max++) expect(fitTo(max, { text })).toBe('See …');
  expect(fitTo(10, { text: 'https://a.example' })).toBe('…');
  expect(fitTo(12, { text: '<https://a>more' })).toBe('<https://a>…');
  expect(fitTo(11, { text: '<https://a>more' })).toBe('<…');
});

test('a cut never splits an escape', () => {
  const render = (wording: Wording) => escapeEntities(lines(wording));
  for (let max = 1; max <= 15; max++) expect(fitTo(max, { text: '&&&' }, render)).toMatch(/^(&amp;)*…?$/);
});

test('whatever the message, as much of it is kept as fits', () => {
  fc.assert(
    fc.property(messages, fc.integer({ min: 500, max: 3_000 }), (message, max) => {
      const fitted = fitTo(max, message);
      expect(fitted.length).toBeLessThanOrEqual(max);
      expect(fitted.isWellFormed()).toBe(true);
      expect(fitted.startsWith(message.title)).toBe(true);
      const hasRoom = lines({ ...message, text: '…' }).length <= max;
      const whole = lines(hasRoom ? message : { ...message, url: '' });
      if (whole.length <= max) return expect(fitted).toBe(whole);
      const end = hasRoom && message.url ? `…\n${message.url}` : '…';
      expect(fitted.endsWith(end)).toBe(true);
      expect(whole.startsWith(fitted.slice(0, -end.length))).toBe(true);
      const said = fitted.slice(0, -end.length);
      const left = /^(https?:\/\/[^\s<>]*[\s<>]?|.)/su.exec(whole.slice(said.length))![0];
      expect(fitted.length + left.length).toBeGreaterThan(max); // not one code point, or address, more
    }),
  );
});
