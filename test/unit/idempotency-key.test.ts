import type { Request } from 'express';
import { readIdempotency } from '../../src/http/input/idempotency-key';

const REQUEST = { headers: { 'idempotency-key': 'a key' }, method: 'POST', params: {}, body: { a: '1' }, originalUrl: '/coupons' };
const fingerprint = (given: object) => readIdempotency({ ...REQUEST, ...given } as unknown as Request, 'coupons.create')?.fingerprint;

test.each([
  ['a text in the path', { params: { book: 'red' } }],
  ['another', { params: { book: 'blue' } }],
  ['an id', { params: { id: '7' } }],
  ['a query', { originalUrl: '/coupons?draft=true' }],
  ['another body', { body: { a: '2' } }],
  ['no body', { body: undefined }],
])('%s makes a different request', (_name, given) => {
  expect(fingerprint(given)).not.toBe(fingerprint({}));
  expect(fingerprint(given)).toBe(fingerprint(given));
});

test('two strings in the path are two requests, two spellings of an id are one', () => {
  expect(fingerprint({ params: { book: 'red' } })).not.toBe(fingerprint({ params: { book: 'blue' } }));
  expect(fingerprint({ params: { id: '007' } })).toBe(fingerprint({ params: { id: '7' } }));
});
