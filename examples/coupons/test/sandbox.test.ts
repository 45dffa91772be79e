import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSandbox } from 'frontdesk/testing';
import request from 'supertest';

test('creates a coupon, and reads it with its ETag', async (t) => {
  const sandbox = await startSandbox({ extensions: ['./dist'] });
  t.after(() => sandbox.stop());
  const send = (method: 'get' | 'post', path: string) => request(sandbox.httpServer)[method](path).auth(sandbox.key, { type: 'bearer' });
  const { body } = await send('post', '/api/coupons').send({ code: 'SPRING10', percent: 10 }).expect(201);
  const { headers } = await send('get', `/api/coupons/${(body as { data: { id: number } }).data.id}`).expect(200);
  assert.match(headers.etag, /^"/);
});

test('deletes a coupon within a day once it has been expired for a year', async (t) => {
  const sandbox = await startSandbox({ extensions: ['./dist'] });
  t.after(() => sandbox.stop());
  const send = (method: 'get' | 'post', path: string) => request(sandbox.httpServer)[method](path).auth(sandbox.key, { type: 'bearer' });
  await send('post', '/api/coupons').send({ code: 'OLD', percent: 10, valid_until: '2020-01-01 00:00:00' }).expect(201);
  await sandbox.advance('1d');
  assert.deepEqual((await send('get', '/api/coupons').expect(200)).body.data, []);
});
