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

/** One request at a time: what waits for events must not keep others out. */
const { application, database } = useApplication({ MAX_IN_FLIGHT: '1' });
let account: TestAccount;
let after: string;

beforeEach(async () => {
  account = await application().createAccount();
  after = ((await account.client.get('/api/events?after=latest').expect(200)).body as PageBody).meta.next;
});

const wait = (query = '', { client }: Pick<TestAccount, 'client'> = account) =>
  client.get(`/api/events?wait=30&after=${after}${query}`).then((response) => response);
const waiting = () => application().app.get(EventWaits)['ofAccounts'].usedBy(account.id);
const untilWaiting = (count: number) =>
  until(
    () => Promise.resolve(waiting()),
    (found) => found === count,
  );
const typesIn = (response: { body: unknown }) => (response.body as PageBody).data.map(({ type }) => type);

test('a wait is answered by a write, and holds no other request up', async () => {
  const answered = wait();
  await untilWaiting(1);
  await account.client.get(DOMAINS).expect(200);
  await account.client.create(DOMAINS, { host: newHost() });
  expect(typesIn(await answered)).toEqual(['domain.created']);
  await untilWaiting(0);
});

test('a wait with a key that was revoked meanwhile ends in a 401, and shows nothing', async () => {
  const { client, keyId } = await application().createKey(account.id);
  const response = wait('', { client });
  await untilWaiting(1);
  await application().app.get(ApiKeysService).revoke(keyId);
  await account.client.create(DOMAINS, { host: newHost() });
  expectErrors(await response, { code: 'unauthenticated', source: 'header.Authorization' });
});

test('also by that of another process', async () => {
  await withApplication(database().env, async (other) => {
    const answered = wait();
    await untilWaiting(1);
    await other.client(account.key).create(DOMAINS, { host: newHost() });
    expect(typesIn(await answered)).toEqual(['domain.created']);
  });
});

test('also after the database was away', async () => {
  const answered = wait();
  await untilWaiting(1);
  const number = jest.spyOn(application().app.get(EventNumbers), 'number').mockRejectedValue(new Error('away'));
  const warning = jest.spyOn(application().app.get(EventWaits)['warning'], 'log');
  await until(
    () => Promise.resolve(warning.mock.calls.length),
    (warnings) => warnings > 0,
  );
  number.mockRestore();
  await account.client.create(DOMAINS, { host: newHost() });
  expect(typesIn(await answered)).toEqual(['domain.created']);
});

test('by the types that it names, and by no other account', async () => {
  const other = await application().createAccount();
  const answered = wait('&types=notification_handler.created');
  await untilWaiting(1);
  await account.client.create(DOMAINS, { host: newHost() });
  await other.client.create(HANDLERS, { name: 'Desk', type: 'email' });
  await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
  expect(typesIn(await answered)).toEqual(['notification_handler.created']);
});

test('an event that exists is returned at once, and takes no slot', async () => {
  await account.client.create(DOMAINS, { host: newHost() });
  expect(typesIn(await wait())).toEqual(['domain.created']);
});

test('eight requests of a key wait, and sixteen of an account; one more is told to come again', async () => {
  const second = { ...account, ...(await application().createKey(account.id)) };
  const third = { ...account, ...(await application().createKey(account.id)) };
  const waits = Array.from({ length: 8 }, () => wait());
  await untilWaiting(8);
  const refused = await wait();
  expectErrors(refused, { code: 'rate_limited', source: 'query.wait', detail: /16 .* 8 of a key/ });
  expect(refused.headers['retry-after']).toBe('1');
  waits.push(...Array.from({ length: 8 }, () => wait('', second)));
  await untilWaiting(16);
  expectErrors(await wait('', third), { code: 'rate_limited', source: 'query.wait' });
  await account.client.create(DOMAINS, { host: newHost() });
  for (const answered of await Promise.all(waits)) expect(typesIn(answered)).toEqual(['domain.created']);
  await untilWaiting(0);
});

test('a client that leaves frees its place', async () => {
  const headers = { authorization: `Bearer ${account.key}` };
  const request = get({ port: application().port, host: '127.0.0.1', path: `/api/events?wait=30&after=${after}`, headers });
  request.on('error', () => undefined);
  await untilWaiting(1);
  request.destroy();
  await untilWaiting(0);
});

test('a shutdown ends waits with an empty page, whose cursor is good', async () => {
  await withApplication(database().env, async (other) => {
    const { client } = { client: other.client(account.key) };
    const answered = wait('', { ...account, client });
    await until(
      () => Promise.resolve(other.app.get(EventWaits)['ofAccounts'].inUse),
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
