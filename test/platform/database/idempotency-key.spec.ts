import type { Request } from 'express';
import { readIdempotency } from '../../../src/platform/http/input/idempotency-key';

const REQUEST = { headers: { 'idempotency-key': 'a key' }, method: 'POST', params: {}, body: { a: '1' }, originalUrl: '/coupons' };
const fingerprint = async (given: object) =>
  (await readIdempotency({ ...REQUEST, ...given } as unknown as Request, 'coupons.create'))?.fingerprint;

test.each([
  ['a text in the path', { params: { book: 'red' } }],
  ['another', { params: { book: 'blue' } }],
  ['an id', { params: { id: '7' } }],
  ['a query', { originalUrl: '/coupons?draft=true' }],
  ['another body', { body: { a: '2' } }],
  ['no body', { body: undefined }],
])('%s makes a different request', async (_name, given) => {
  expect(await fingerprint(given)).not.toBe(await fingerprint({}));
  expect(await fingerprint(given)).toBe(await fingerprint(given));
});

test('different strings in the path are different requests; two spellings of an id are the same one', async () => {
  expect(await fingerprint({ params: { book: 'red' } })).not.toBe(await fingerprint({ params: { book: 'blue' } }));
  expect(await fingerprint({ params: { id: '007' } })).toBe(await fingerprint({ params: { id: '7' } }));
});
