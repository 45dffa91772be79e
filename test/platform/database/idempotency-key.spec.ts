import type { Request } from 'express';
import { readIdempotency } from '../../../src/platform/http/input/idempotency-key';

const REQUEST = { headers: { 'idempotency-key': 'a key' }, method: 'POST', params: {}, body: { a: '1' }, originalUrl: '/coupons' };
const fingerprint = async (given: object) =>
  (await readIdempotency({ ...REQUEST, ...given } as unknown as Request, 'coupons.create'))?.fingerprint;

test.each([
  ['a text in the path', { params: { book: 'red' } }],
  ['an id in the path', { params: { id: '7' } }],
  ['the query', { originalUrl: '/coupons?draft=true' }],
  ['the body', { body: { a: '2' } }],
  ['the presence of a body', { body: undefined }],
])('the fingerprint depends on %s', async (_name, given) => {
  expect(await fingerprint(given)).not.toBe(await fingerprint({}));
  expect(await fingerprint(given)).toBe(await fingerprint(given));
});

test('the fingerprint distinguishes texts in the path, but not spellings of an id', async () => {
  expect(await fingerprint({ params: { book: 'red' } })).not.toBe(await fingerprint({ params: { book: 'blue' } }));
  expect(await fingerprint({ params: { id: '007' } })).toBe(await fingerprint({ params: { id: '7' } }));
});
