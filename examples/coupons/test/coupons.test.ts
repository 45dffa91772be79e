import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Clock, Config, createApplication, DAY_MS, schemaDrift, timestamp } from 'frontdesk';
import request from 'supertest';
import { DataSource } from 'typeorm';

type Application = Awaited<ReturnType<typeof createApplication>>;
type Fields = Record<string, unknown>;

const folder = mkdtempSync(join(tmpdir(), 'coupons-'));
const env = {
  DATABASE_URL: process.env.DATABASE_URL ?? `sqlite:${folder}/test.sqlite`,
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  EXTENSIONS: './dist',
  OUTBOUND_ALLOW: '127.0.0.1/32',
  DEMO: 'off',
  LOG_LEVEL: 'silent',
};
/** Unique, since the database may have been used before. */
const account = `acme ${randomUUID()}`;
let app: Application;
let url: string;
let key: string;

before(async () => {
  await frontdesk('accounts', 'create', account);
  key = (await frontdesk('keys', 'create', '--account', account, '--name', 'test')).trim();
  app = await createApplication(new Config(env), []);
  url = `http://127.0.0.1:${portOf(await app.listen(0, '127.0.0.1'))}`;
});

after(async () => {
  await app?.close();
  rmSync(folder, { recursive: true });
});

test('creates, lists, updates and deletes a coupon', async () => {
  const created = await send('POST', '/api/coupons', { code: 'SPRING10', percent: 10 }).expect(201);
  const id = idOf(created);
  assert.match(created.headers.location, new RegExp(`/api/coupons/${id}$`));
  const coupon = { id, code: 'SPRING10', percent: 10, max_redemptions: 1, redeemed: 0, valid_until: null, last_datetime: null };
  const { datetime, ...found } = await read(id);
  assert.deepEqual([found, typeof datetime], [coupon, 'string']);
  const listed = await send('GET', '/api/coupons?code=spring&percent=10&orderby=code').expect(200);
  assert.deepEqual([listed.body.data, listed.body.meta.total], [[{ ...coupon, datetime }], 1]);
  assert.deepEqual((await send('GET', '/api/coupons?code=summer')).body.data, []);

  await send('POST', `/api/coupons/${id}`, { percent: 15, valid_until: '2099-01-01 00:00:00' }).expect(200);
  assert.deepEqual([(await read(id)).percent, (await read(id)).valid_until], [15, '2099-01-01 00:00:00']);
  await send('POST', `/api/coupons/${id}`, { valid_until: null }).expect(200);
  assert.equal((await read(id)).valid_until, null);
  await send('DELETE', `/api/coupons/${id}`).expect(200);

  const events = (await send('GET', '/api/events?types=coupon.*').expect(200)).body.data as { type: string; data: object }[];
  const changes = [{ changed: ['percent', 'valid_until'] }, { changed: ['valid_until'] }];
  assert.deepEqual(
    events.map(({ type, data }) => [type, data]),
    [['coupon.created', {}], ...changes.map((data) => ['coupon.updated', data]), ['coupon.deleted', {}]],
  );
  await send('GET', `/api/coupons/${id}`).expect(404);
});

test('validates a form and rejects a duplicate code', async () => {
  const refused = await send('POST', '/api/coupons', { percent: 101, colour: 'red' }).expect(400);
  assert.deepEqual(codesOf(refused), ['unknown_parameter', 'missing_parameter', 'invalid_parameter']);
  await create({ code: 'ONCE' });
  const taken = await send('POST', '/api/coupons', { code: 'ONCE', percent: 5 }).expect(409);
  assert.deepEqual(codesOf(taken), ['conflict']);
});

test('fifty concurrent redemptions never exceed the maximum, and the last one sends a message', async () => {
  const receiver = createServer((incoming, response) => void incoming.resume().on('end', () => response.end()));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    const delivered = new Promise((resolve) => receiver.once('request', resolve));
    const webhook = `http://127.0.0.1:${portOf(receiver)}/`;
    await send('POST', '/api/notification-handlers', { name: 'Shop', type: 'webhook', webhook }).expect(201);
    const id = await create({ code: 'FLASH', max_redemptions: 20 });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => admitted(() => redeem(id, `customer ${i}`))));
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual([statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 409).length], [20, 30]);
    assert.deepEqual(codesOf(answers.find(({ status }) => status === 409)!), ['coupon_used_up']);
    assert.equal((await read(id)).redeemed, 20);
    assert.equal((await send('GET', `/api/coupon-redemptions?coupon_id=${id}`)).body.meta.total, 20);
    const messages = (await send('GET', '/api/messages')).body.data as Fields[];
    assert.deepEqual(messages.map(({ text }) => text), ['The last coupon FLASH was redeemed.']); // prettier-ignore
    await delivered;
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});

test('notifies a handler of events in a sentence', async () => {
  const handler = idOf(await send('POST', '/api/notification-handlers', { name: 'Shop', type: 'slack' }).expect(201));
  await send('POST', `/api/notification-handlers/${handler}/events`, { types: 'coupon.*' }).expect(200);
  await redeem(await create({ code: 'NOTIFIED' }), 'Ana').expect(201);
  const expected = ['The coupon', 'NOTIFIED has been redeemed 1 of 1 times. Raise max_redemptions to go on.'];
  for (let texts: string[] = []; !expected.every((text) => texts.some((found) => found.startsWith(text)));) {
    await setTimeout(100);
    texts = ((await send('GET', '/api/messages?results_per_page=1000')).body.data as { text: string }[]).map(({ text }) => text);
  }
  await send('DELETE', `/api/notification-handlers/${handler}`).expect(200);
});

test('rejects an expired coupon and one of another account', async () => {
  const id = await create({ code: 'GONE', valid_until: '2020-01-01 00:00:00' });
  assert.deepEqual(codesOf(await redeem(id, 'Ana').expect(409)), ['coupon_expired']);
  assert.deepEqual(codesOf(await redeem(2_000_000_000, 'Ana').expect(400)), ['invalid_parameter']);
});

test('an upload creates all coupons of a file or none, and a repeated one creates no more', async () => {
  const upload = (csv: string, repeat = randomUUID() as string) =>
    send('POST', '/api/coupon-uploads').set('Idempotency-Key', repeat).attach('file', Buffer.from(csv), 'up.csv');
  const repeat = randomUUID();
  const id = idOf(await upload('UP1,10\nUP2,20\n', repeat).expect(201));
  assert.equal(idOf(await upload('UP1,10\nUP2,20\n', repeat).expect(201)), id);
  const bad = await upload('UP3,30\nUP4,a lot\n').expect(400);
  assert.deepEqual(bad.body.errors[0].detail, 'Line 2 of the file must be a code and a percentage, such as SPRING10,10.');
  await upload('UP5,30\nUP1,10\n').expect(409);
  assert.equal((await send('GET', '/api/coupons?code=up')).body.meta.total, 2);
  const [record] = (await send('GET', '/api/coupon-uploads')).body.data as Fields[];
  assert.deepEqual([record.file_name, record.coupons], ['up.csv', 2]);
});

test('the daily job deletes coupons that have been expired for a year, with their redemptions', async (context) => {
  const clock = app.get(Clock);
  const soon = timestamp(new Date(clock.now() + DAY_MS));
  const [old, kept] = [await create({ code: 'OLD', valid_until: soon }), await create({ code: 'KEPT' })];
  await redeem(old, 'Ana').expect(201);
  assert.deepEqual(await eventsOf(old), ['coupon.created', 'coupon.updated']);
  const { OldCoupons } = (await import(join(process.cwd(), 'dist', 'old-coupons.js'))) as { OldCoupons: new () => Job };
  const later = clock.now() + 367 * DAY_MS;
  context.mock.method(clock, 'now', () => later);
  await app.get(OldCoupons).delete(new AbortController().signal);
  context.mock.restoreAll();
  await send('GET', `/api/coupons/${old}`).expect(404);
  assert.deepEqual(await eventsOf(old), ['coupon.created', 'coupon.updated', 'coupon.deleted']);
  assert.equal((await send('GET', `/api/coupon-redemptions?coupon_id=${old}`)).body.meta.total, 0);
  await read(kept);
});

test('commands import, export and expire coupons', async () => {
  const file = join(folder, 'coupons.csv');
  writeFileSync(file, 'code,percent,valid_until\nIN1,5,\nIN2,6,2099-01-01 00:00:00\n');
  await frontdesk('import', 'coupons', file, '--account', account);
  await frontdesk('import', 'coupons', file, '--account', account); // updates those of the same code
  const exported = await frontdesk('export', 'coupons', '--account', account, '--format', 'ndjson');
  const lines = exported.trim().split('\n').map((line) => JSON.parse(line) as Fields); // prettier-ignore
  assert.deepEqual(lines.filter(({ code }) => String(code).startsWith('IN')).map(({ percent }) => percent), [5, 6]); // prettier-ignore
  await frontdesk('coupons', 'expire', 'IN1', '--account', account);
  const id = Number(lines.find(({ code }) => code === 'IN1')!.id);
  assert.deepEqual(codesOf(await redeem(id, 'Ana').expect(409)), ['coupon_expired']);
  await assert.rejects(frontdesk('coupons', 'expire', 'NONE', '--account', account), /The account has no coupon NONE\./);
});

test('the migrations create what the entities declare', async () => {
  assert.deepEqual(await schemaDrift(app.get(DataSource)), []);
});

test('the OpenAPI document has the file, the error codes and the events', async () => {
  const { paths, components } = (await send('GET', '/openapi.json').expect(200)).body;
  assert.deepEqual(Object.keys(paths['/api/coupon-uploads'].post.requestBody.content as object), ['multipart/form-data']);
  assert.match(JSON.stringify(paths['/api/coupon-redemptions'].post), /coupon_used_up/);
  const { EventRecord, EventRecordCouponUpdated } = components.schemas;
  const { record, data, current } = EventRecordCouponUpdated.properties;
  assert.deepEqual(EventRecord.discriminator.mapping['coupon.updated'], '#/components/schemas/EventRecordCouponUpdated');
  assert.deepEqual([record.properties.type.enum, data.required], [['coupon'], ['changed']]);
  assert.deepEqual(current.anyOf, [{ $ref: '#/components/schemas/CouponRecord' }, { type: 'null' }]);
});

interface Job {
  delete(signal: AbortSignal): Promise<void>;
}

async function frontdesk(...argv: string[]): Promise<string> {
  const options = { env: { ...process.env, ...env } };
  return (await promisify(execFile)(join('node_modules', '.bin', 'frontdesk'), argv, options)).stdout;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function send(method: string, path: string, body?: Fields) {
  const sent = request(url)[method.toLowerCase() as 'get'](path).set('Authorization', `Bearer ${key}`);
  return body ? sent.send(body) : sent;
}

async function eventsOf(id: number): Promise<string[]> {
  const { data } = (await send('GET', '/api/events?types=coupon.*&limit=1000').expect(200)).body as {
    data: { type: string; record: { id: number } }[];
  };
  return data.filter(({ record }) => record.id === id).map(({ type }) => type);
}

function redeem(coupon_id: number, customer: string) {
  return send('POST', '/api/coupon-redemptions', { coupon_id, customer });
}

/** Repeats a request that the service is too busy for, as a client would. */
async function admitted(sent: () => request.Test): Promise<request.Response> {
  const response = await sent();
  return response.status === 503 ? admitted(sent) : response;
}

async function create(values: Fields): Promise<number> {
  return idOf(await send('POST', '/api/coupons', { percent: 10, ...values }).expect(201));
}

async function read(id: number): Promise<Fields> {
  return ((await send('GET', `/api/coupons/${id}`).expect(200)).body as { data: Fields }).data;
}

function idOf({ body }: request.Response): number {
  return (body as { data: { id: number } }).data.id;
}

function codesOf({ body }: request.Response): string[] {
  return (body as { errors: { code: string }[] }).errors.map(({ code }) => code);
}
