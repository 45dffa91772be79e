// The built client against the built service, through a proxy that can drop or replace responses.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import { startSandbox } from '../../dist/src/programs/sandbox/testing.js';
import { createClient, FrontdeskError, verifyWebhook } from '../dist/client.js';

const waits = [];
/** One for each next request: `cut` drops the service's response, a function responds in its place. */
let faults = [];
let sandbox, proxy, seen, client;

before(async () => {
  sandbox = await startSandbox();
  proxy = createServer(forward).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});

after(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await sandbox.stop();
});

beforeEach(async () => {
  faults = [];
  seen = [];
  waits.length = 0;
  const { key } = await sandbox.account();
  const wait = async (milliseconds, signal) => {
    signal?.throwIfAborted();
    waits.push(milliseconds);
  };
  client = createClient({ url: `http://127.0.0.1:${proxy.address().port}`, key, wait });
});

test('a POST whose response is lost creates one record', async () => {
  faults = ['cut'];
  const { data } = await client.post('/api/domains', { body: { host: 'lost.example.com' } });
  assert.deepEqual(
    (await all('/api/domains')).map(({ id }) => id),
    [data.id],
  );
  assert.equal(seen[0].key, seen[1].key);
});

test('a POST without an Idempotency-Key is retried only after 429', async () => {
  const retryAll = () => client.post('/api/deliveries/retry', { body: { status: 'failed' } });
  faults = ['cut'];
  await assert.rejects(retryAll(), { code: 'connection_lost', status: 0 });
  faults = [refuse(503, 1)];
  await assert.rejects(retryAll(), { status: 503 });
  faults = [refuse(429, 1)];
  await retryAll();
  assert.deepEqual(
    seen.map(({ key }) => key),
    Array(4).fill(undefined),
  );
});

test('429 and 503 are retried after Retry-After, a limited number of times', async () => {
  faults = [refuse(429, 3), refuse(503, 2)];
  await client.get('/api/domains');
  assert.deepEqual(waits, [3000, 2000]);
  faults = Array(10).fill(refuse(503, 1));
  await assert.rejects(client.get('/api/domains'), { status: 503, retryAfter: 1 });
  assert.equal(faults.length, 5);
  faults = [refuse(429, 3600)];
  await assert.rejects(client.get('/api/domains'), { status: 429, retryAfter: 3600 });
});

test('a rejected request throws one error with every violation', async () => {
  const error = await client.get('/api/domains', { query: { results_per_page: 20, colour: 'red' } }).catch((error) => error);
  assert(error instanceof FrontdeskError);
  assert.deepEqual([error.status, error.violations.length, error.requestId === error.violations[0].id], [400, 2, true]);
});

test('an update with a stale ETag throws precondition_failed', async () => {
  const { data } = await client.post('/api/domains', { body: { host: 'etag.example.com' } });
  const path = { domain_id: data.id };
  const { etag } = await client.get('/api/domains/{domain_id}', { path });
  const change = (body) => client.update('/api/domains/{domain_id}', { path, body, ifMatch: etag });
  await change({ custom_index_url: 'https://example.com/one' });
  await assert.rejects(change({ custom_index_url: 'https://example.com/two' }), { status: 412, code: 'precondition_failed' });
});

test('pages() and records() iterate over a whole list, and over events by cursor', async () => {
  for (let each = 0; each < 12; each++) await client.post('/api/domains', { body: { host: `page-${each}.example.com` } });
  assert.equal((await all('/api/domains', { query: { results_per_page: 10 } })).length, 12);
  assert.equal((await collect(client.pages('/api/domains', { query: { results_per_page: 10 } }))).length, 2);
  assert.equal((await all('/api/events', { query: { limit: 5 } })).length, 12);
});

test('events() resumes after a lost connection and from a cursor, without gaps or duplicates', async () => {
  const hosts = [0, 1, 2, 3].map((each) => `event-${each}.example.com`);
  const ids = [];
  const create = async (host) => ids.push((await client.post('/api/domains', { body: { host } })).data.id);
  await create(hosts[0]);
  await create(hosts[1]);
  const feed = client.events({ types: ['domain.*'] });
  const got = [];
  for await (const { record } of feed) {
    got.push(record.id);
    if (got.length === 2) {
      await create(hosts[2]);
      faults = ['cut', refuse(503, 1)];
    }
    if (got.length === 3) break;
  }
  await create(hosts[3]);
  for await (const { record } of client.events({ after: feed.cursor, types: ['domain.*'] })) {
    got.push(record.id);
    break;
  }
  assert.deepEqual(got, ids);
});

test('a signal aborts events() and a request with its reason', async () => {
  const controller = new AbortController();
  const next = client.events({ signal: controller.signal })[Symbol.asyncIterator]().next();
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(next, reason);
  await assert.rejects(client.get('/api/domains', { signal: controller.signal }), reason);
});

test('verifyWebhook() accepts the Standard Webhooks test vector, and rejects changes and old timestamps', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1a,x v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const body = '{"test": 2432232314}';
  const now = 1614265330_000;
  assert.deepEqual(await verifyWebhook(secret, headers, body, { now }), { test: 2432232314 });
  assert.deepEqual(await verifyWebhook(secret, new Headers(headers), new TextEncoder().encode(body), { now }), { test: 2432232314 });
  await assert.rejects(verifyWebhook(secret, headers, `${body} `, { now }), { code: 'invalid_signature' });
  await assert.rejects(verifyWebhook(secret, headers, body, { now: now + 301_000 }), { code: 'invalid_signature' });
});

function all(path, options) {
  return collect(client.records(path, options));
}

async function collect(iterable) {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
}

function refuse(status, seconds) {
  return (response) => response.writeHead(status, { 'Retry-After': seconds }).end();
}

function forward(incoming, outgoing) {
  seen.push({ url: incoming.url, key: incoming.headers['idempotency-key'] });
  const fault = faults.shift();
  if (typeof fault === 'function') return fault(outgoing);
  const { method, headers, url } = incoming;
  const onward = request(new URL(url, sandbox.url), { method, headers }, (answer) => {
    if (fault === 'cut') return answer.resume().on('end', () => incoming.socket.destroy());
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => incoming.socket.destroy());
  outgoing.on('close', () => outgoing.writableFinished || onward.destroy());
  incoming.pipe(onward);
}
