/** @mysql whole */
import { get } from 'node:http';
import { ApiKeysService } from '../../src/auth/accounts/api-keys.service';
import { EventWaits } from '../../src/events/event-waits';
import { EventNumbers } from '../../src/platform/database/events/event-numbers';
import { Shutdown } from '../../src/platform/http/server/http-server';
import { type TestAccount, useApplication, withApplication } from '../support/http/application';
import { until } from '../support/jest/clock';
import { expectErrors } from '../support/http/errors';
import { DOMAINS, HANDLERS, newHost } from '../support/areas/records';

interface PageBody {
  data: { type: string }[];
  meta: { next: string; has_more: boolean };
}

/** One request at a time: waits for events must not block others. */
const { application, database } = useApplication({ MAX_IN_FLIGHT: '1' });
let account: TestAccount;
let after: string;

beforeEach(async () => {
  account = await application().createAccount();
  after = ((await account.client.get('/api/events?after=latest').expect(200)).body as PageBody).meta.next;
});

const wait = (query = '', { client }: Pick<TestAccount, 'client'> = account) =>
  client.get(`/api/events?wait=30&after=${after}${query}`).then((response) => response);
const waiting = () => application().app.get(EventWaits)['accountSlots'].usedBy(account.id);
const untilWaiting = (count: number) =>
  until(
    () => Promise.resolve(waiting()),
    (found) => found === count,
  );
const typesIn = (response: { body: unknown }) => (response.body as PageBody).data.map(({ type }) => type);

test('a write ends a wait, and other requests are served meanwhile', async () => {
  const answered = wait();
  await untilWaiting(1);
  await account.client.get(DOMAINS).expect(200);
  await account.client.create(DOMAINS, { host: newHost() });
  expect(typesIn(await answered)).toEqual(['domain.created']);
  await untilWaiting(0);
});

test('a request that waits gets 401 when its key is revoked', async () => {
  const { client, keyId } = await application().createKey(account.id);
  const response = wait('', { client });
  await untilWaiting(1);
  await application().app.get(ApiKeysService).revoke(keyId);
  await account.client.create(DOMAINS, { host: newHost() });
  expectErrors(await response, { code: 'unauthenticated', source: 'header.Authorization' });
});

test('a write by another process ends a wait', async () => {
  await withApplication(database().env, async (other) => {
    const answered = wait();
    await untilWaiting(1);
    await other.client(account.key).create(DOMAINS, { host: newHost() });
    expect(typesIn(await answered)).toEqual(['domain.created']);
  });
});

test('a wait survives a database outage', async () => {
  const answered = wait();
  await untilWaiting(1);
  const number = jest.spyOn(application().app.get(EventNumbers), 'numberEvents').mockRejectedValue(new Error('away'));
  const warning = jest.spyOn(application().app.get(EventWaits)['warning'], 'log');
  await until(
    () => Promise.resolve(warning.mock.calls.length),
    (warnings) => warnings > 0,
  );
  number.mockRestore();
  await account.client.create(DOMAINS, { host: newHost() });
  expect(typesIn(await answered)).toEqual(['domain.created']);
});

test('a wait ends only with its types and its account’s events', async () => {
  const other = await application().createAccount();
  const answered = wait('&types=notification_handler.created');
  await untilWaiting(1);
  await account.client.create(DOMAINS, { host: newHost() });
  await other.client.create(HANDLERS, { name: 'Desk', type: 'email' });
  await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
  expect(typesIn(await answered)).toEqual(['notification_handler.created']);
});

test('a wait with an existing event returns at once', async () => {
  await account.client.create(DOMAINS, { host: newHost() });
  expect(typesIn(await wait())).toEqual(['domain.created']);
});

test('a key may have eight waits and an account sixteen, and more get 429', async () => {
  const second = { ...account, ...(await application().createKey(account.id)) };
  const third = { ...account, ...(await application().createKey(account.id)) };
  const waits = Array.from({ length: 8 }, () => wait());
  await untilWaiting(8);
  const refused = await wait();
  expectErrors(refused, { code: 'rate_limited', source: 'query.wait', detail: /16 .* 8 per key/ });
  expect(refused.headers['retry-after']).toBe('1');
  waits.push(...Array.from({ length: 8 }, () => wait('', second)));
  await untilWaiting(16);
  expectErrors(await wait('', third), { code: 'rate_limited', source: 'query.wait' });
  await account.client.create(DOMAINS, { host: newHost() });
  for (const answered of await Promise.all(waits)) expect(typesIn(answered)).toEqual(['domain.created']);
  await untilWaiting(0);
});

test('a disconnected client frees its slot', async () => {
  const headers = { authorization: `Bearer ${account.key}` };
  const path = `/api/events?wait=30&after=${after}`;
  const requests = Array.from({ length: 8 }, () => get({ port: application().port, host: '127.0.0.1', path, headers }));
  for (const request of requests) request.on('error', () => undefined);
  await untilWaiting(8);
  requests[0].destroy();
  await untilWaiting(7);
  const answered = wait();
  await untilWaiting(8);
  await account.client.create(DOMAINS, { host: newHost() });
  expect(typesIn(await answered)).toEqual(['domain.created']);
  for (const request of requests) request.destroy();
});

test('a shutdown ends waits with an empty page and a valid cursor', async () => {
  await withApplication(database().env, async (other) => {
    const answered = wait('', { client: other.client(account.key) });
    await until(
      () => Promise.resolve(other.app.get(EventWaits)['accountSlots'].inUse),
      (count) => count === 1,
    );
    const draining = other.app.get(Shutdown).drain(other.server);
    const response = await answered;
    expect([response.status, typesIn(response)]).toEqual([200, []]);
    await draining;
    await account.client.create(DOMAINS, { host: newHost() });
    const { next } = (response.body as PageBody).meta;
    expect(typesIn(await account.client.get(`/api/events?after=${next}`))).toEqual(['domain.created']);
  });
});
