/** @mysql always */
import type { Response } from 'supertest';
import { type TestAccount, useApplication, withApplication } from '../../support/http/application';
import { idOf } from '../../support/http/client';
import { HandlerCancellations } from '../../../src/notification-handlers/handler-hooks';
import { holdClock } from '../../support/jest/clock';
import { onMysql } from '../../support/servers/database';
import { createWebhook, failedDelivery, finished } from '../../support/areas/deliveries';
import { expectErrors } from '../../support/http/errors';
import { receiver } from '../../support/servers/receiver';
import { DELIVERIES, DOMAINS, HANDLERS, MESSAGES, newHost } from '../../support/areas/records';

const { application, database } = useApplication();
let account: TestAccount;
let keys = 0;

beforeAll(async () => {
  account = await application().createAccount();
});

const newKey = () => `key-${++keys}`;
type Fields = Record<string, string>;
const send = (path: string, fields: Fields, key: string, client = account.client) => client.post(path, fields).set('Idempotency-Key', key);
const handler = (name: string): Fields => ({ name, type: 'email', email: 'someone@example.com' });
const countOf = async (name: string) => (await application().rows('notification_handlers')).filter((row) => row.name === name).length;

test('a repeated create is executed once and gets the first response', async () => {
  const key = newKey();
  const first = await send(HANDLERS, handler('once'), key).expect(201);
  const again = await send(`${HANDLERS}/`, { email: 'someone@example.com', type: 'email', name: ' once ' }, key).expect(201);
  expect([again.body, again.headers.location]).toEqual([first.body, first.headers.location]);
  expect(await countOf('once')).toBe(1);
  const elsewhere = await send('/api/notification-handler', handler('once'), key).expect(201);
  expect(elsewhere.body).toEqual(first.body);
  const json = account.client.send('POST', HANDLERS).set('Idempotency-Key', key).send(handler('once'));
  expect((await json.expect(201)).body).toEqual(first.body);
});

test('a repeated update is executed once and gets the first response', async () => {
  const id = await account.client.create(DOMAINS, { host: newHost() });
  const [key, first, second] = [newKey(), newHost(), newHost()];
  await send(`${DOMAINS}/${id}`, { host: first }, key).expect(200);
  await account.client.post(`${DOMAINS}/${id}`, { host: second }).expect(200);
  expect((await send(`${DOMAINS}/${id}`, { host: first }, key).expect(200)).body).toEqual({ data: { id } });
  expect((await account.client.get(`${DOMAINS}/${id}`)).body).toMatchObject({ data: { host: second } });
});

test('a different request with the same key is rejected and changes nothing', async () => {
  const key = newKey();
  const id = idOf(await send(HANDLERS, handler('kept'), key).expect(201));
  const refused = { code: 'idempotency_key_reused', source: 'header.Idempotency-Key' } as const;
  expectErrors(await send(HANDLERS, handler('other'), key), refused);
  expectErrors(await send(`${HANDLERS}/${id}`, handler('kept'), key), refused);
  expect([await countOf('other'), await countOf('kept')]).toEqual([0, 1]);
});

test('another account may use the same key', async () => {
  const [key, other] = [newKey(), await application().createAccount()];
  const ids = [await send(HANDLERS, handler('of both'), key), await send(HANDLERS, handler('of both'), key, other.client)].map(idOf);
  expect(ids[0]).not.toBe(ids[1]);
});

test('a rejected request is evaluated again when repeated', async () => {
  const [key, host] = [newKey(), newHost()];
  const taken = await account.client.create(DOMAINS, { host });
  expectErrors(await send(DOMAINS, { host }, key), { code: 'host_taken', source: 'form.host' });
  await account.client.delete(`${DOMAINS}/${taken}`).expect(200);
  await send(DOMAINS, { host }, key).expect(201);
});

test('a repeated request gets the first response even after its record was deleted', async () => {
  const [key, fields] = [newKey(), { host: newHost() }];
  const { body } = await send(DOMAINS, fields, key).expect(201);
  await account.client.delete(`${DOMAINS}/${(body as { data: { id: number } }).data.id}`).expect(200);
  expect((await send(DOMAINS, fields, key).expect(201)).body).toEqual(body);
  expectErrors(await account.client.get(`${DOMAINS}/${(body as { data: { id: number } }).data.id}`), { code: 'not_found' });
});

describe('repeated requests', () => {
  const after = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
  const remove = (id: number) => account.client.delete(`${HANDLERS}/${id}`).expect(200);
  const disable = (id: number) => account.client.post(`${HANDLERS}/${id}`, { is_enabled: '0' }).expect(200);

  type Case = { path: string; fields: Fields; change: () => unknown };
  const cases: Record<string, () => Promise<Case>> = {
    'the message has expired': async () => {
      const ids = String(await createWebhook(account, receiver.url()));
      const fields = { text: 'Now or never.', handler_ids: ids, expires_at: after(60_000) };
      return { path: MESSAGES, fields, change: () => holdClock(application()).move(120_000) };
    },
    'the message’s handler was deleted': async () => {
      const id = await createWebhook(account, receiver.url());
      return { path: MESSAGES, fields: { text: 'Who?', handler_ids: String(id) }, change: () => remove(id) };
    },
    'the updated handler was deleted': async () => {
      const id = await createWebhook(account, receiver.url());
      return { path: `${HANDLERS}/${id}`, fields: { is_enabled: '0' }, change: () => remove(id) };
    },
    'the handler’s deliveries fail to be cancelled': async () => {
      const id = await createWebhook(account, receiver.url());
      const fail = () => jest.spyOn(application().app.get(HandlerCancellations), 'cancel').mockResolvedValue(false);
      return { path: `${HANDLERS}/${id}`, fields: { is_enabled: '0' }, change: fail };
    },
    'the handler with events was deleted': async () => {
      const id = await createWebhook(account, receiver.url());
      return { path: `${HANDLERS}/${id}/events`, fields: { types: 'domain.created' }, change: () => remove(id) };
    },
    'the retried delivery’s handler was disabled': async () => {
      const handlerId = await createWebhook(account, receiver.url());
      const id = await failedDelivery(account, handlerId);
      const change = async () => {
        await finished(account, id);
        await disable(handlerId);
      };
      return { path: `${DELIVERIES}/${id}/retry`, fields: {}, change };
    },
  };

  test.each(Object.keys(cases))('a repeated request gets the first response although %s', async (name) => {
    const { path, fields, change } = await cases[name]();
    const key = newKey();
    const first = await send(path, fields, key);
    expect([200, 201]).toContain(first.status);
    await change();
    const again = await send(path, fields, key);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect((await send(path, fields, newKey())).status).not.toBe(first.status); // the change matters to a new request
  });
});

test('of concurrent requests with one key, one is executed and the others get its response or a 409', async () => {
  const key = newKey();
  const answers = await Promise.all(Array.from({ length: 12 }, () => send(HANDLERS, handler('at once'), key)));
  expect(await countOf('at once')).toBe(1);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expectErrors(answer, { code: 'idempotency_key_in_use', source: 'header.Idempotency-Key' });
  }
  expect(new Set(answers.filter(({ status }) => status === 201).map(idOf)).size).toBe(1);
});

if (onMysql) {
  test('two processes execute a request with one key once', async () => {
    await withApplication(database().env, async (second) => {
      const clients = [account.client, second.client(account.key)];
      for (let round = 0; round < 20; round++) {
        const [key, name] = [newKey(), `of two ${round}`];
        const answers = await Promise.all(clients.map((client): Promise<Response> => send(HANDLERS, handler(name), key, client).then()));
        expect(await countOf(name)).toBe(1);
        expect(answers.filter(({ status }) => status !== 201).map(({ status }) => status)).toEqual([]);
        expect(idOf(answers[0])).toBe(idOf(answers[1]));
      }
    });
  });
}

test('an idempotency key expires after a day', async () => {
  const [key, first] = [newKey(), handler('yesterday')];
  await send(HANDLERS, first, key).expect(201);
  await application().dataSource.query("UPDATE idempotency_keys SET datetime = '2026-01-01 00:00:00'");
  await send(HANDLERS, handler('today'), key).expect(201);
  expectErrors(await send(HANDLERS, first, key), { code: 'idempotency_key_reused', source: 'header.Idempotency-Key' });
});

test.each(['', ' ', 'a b', 'x'.repeat(256), 'é'])('the invalid key %j is reported before errors of the form', async (key) => {
  const response = await send(DOMAINS, { host: '' }, key);
  expectErrors(response, { code: 'invalid_parameter', source: 'header.Idempotency-Key' });
});

test('neither the key nor the request is stored in plain text', async () => {
  const key = 'a-key-that-is-secret';
  await send(HANDLERS, handler('hidden'), key).expect(201);
  expect(JSON.stringify(await application().dump())).not.toContain(key);
});
