/** @mysql whole */
import { type ClientRequest, get, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { ApiKeysService } from '../../../src/auth/accounts/api-keys.service';
import { Admission } from '../../../src/platform/quotas/admission.guard';
import { Dialect } from '../../../src/platform/database/dialect';
import { type TestAccount, useApplication } from '../../support/http/application';
import { holdTimeouts } from '../../support/jest/clock';
import { expectErrors } from '../../support/http/errors';
import { DOMAINS, newHost } from '../../support/areas/records';

const { application } = useApplication({ MAX_IN_FLIGHT: '4' });
let busy: TestAccount;
let other: TestAccount;
let release: () => void;

beforeAll(async () => {
  busy = await application().createAccount();
  other = await application().createAccount();
  for (const { client } of [busy, other]) await client.create(DOMAINS, { host: newHost() });
});

/** Blocks reads until `release` is called. No wait times out until a test advances the timers. */
beforeEach(() => {
  holdTimeouts();
  const dialect = application().app.get(Dialect);
  const read = dialect.read.bind(dialect);
  const hold = new Promise<void>((resolve) => (release = resolve));
  jest.spyOn(dialect, 'read').mockImplementation(async (...statement) => {
    await hold;
    return read(...statement);
  });
});

afterEach(async () => {
  release();
  jest.restoreAllMocks();
  jest.useRealTimers();
  await until(() => admission().inFlight + admission().waiting === 0); // slots are released a turn of the event loop later
});

const admission = () => application().app.get(Admission);
const send = (account: TestAccount, count: number) => Array.from({ length: count }, () => account.client.get(DOMAINS).then());
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise(setImmediate);
};

test('requests over MAX_IN_FLIGHT wait and then get their response', async () => {
  const [ofBusy, ofOther] = [send(busy, 30), send(other, 30)];
  await until(() => admission().inFlight + admission().waiting === 60);
  expect(admission().inFlight).toBe(4);
  release();
  for (const { status } of await Promise.all([...ofBusy, ...ofOther])) expect(status).toBe(200);
});

test('a busy account leaves one slot to others, and its waiting requests alternate with theirs', async () => {
  const admitted: number[] = [];
  const acquire = admission().acquire.bind(admission());
  jest.spyOn(admission(), 'acquire').mockImplementation(async (accountId, onWait) => {
    const isAdmitted = await acquire(accountId, onWait);
    admitted.push(accountId);
    return isAdmitted;
  });
  const ofBusy = send(busy, 40);
  await until(() => admission().waiting === 37);
  expect(admission().inFlight).toBe(3);
  const ofOther = send(other, 3);
  await until(() => admission().waiting === 39);
  expect(admission().inFlight).toBe(4);

  release();
  for (const { status } of await Promise.all([...ofBusy, ...ofOther])) expect(status).toBe(200);
  expect(admitted).toHaveLength(39);
  // The other account has one slot, and its two waiting requests get every second turn.
  expect(admitted.slice(0, 4).filter((id) => id === other.id)).toHaveLength(2);
});

test('a request that waits too long is a 503 with Retry-After, while health checks succeed', async () => {
  const answers = send(busy, 103);
  await until(() => admission().waiting === 100);
  const acquiring = jest.spyOn(admission(), 'acquire');
  const oneTooMany = busy.client.get(DOMAINS).then();
  await until(() => acquiring.mock.calls.length === 1);
  expect(admission().waiting).toBe(100);
  await application().client().get('/health/live').expect(200);
  jest.advanceTimersByTime(1_000);
  expectErrors(await oneTooMany, { code: 'unavailable' });
  await until(() => admission().waiting === 0);
  release();
  const refused = (await Promise.all(answers)).filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(100);
  for (const response of refused) {
    expectErrors(response, { code: 'unavailable' });
    expect(response.headers['retry-after']).toBe('1');
  }
});

test('clients that disconnect release their slots and leave the queue', async () => {
  const gone = disconnectable(busy.key, 10);
  await until(() => admission().waiting === 7);
  for (const request of gone) request.destroy();
  await until(() => admission().waiting === 0);
  const next = send(busy, 3);
  await until(() => admission().inFlight === 3);
  release();
  expect((await Promise.all(next)).map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('clients that disconnect during their key lookup take no slots', async () => {
  release();
  const { key } = await application().createKey(busy.id);
  const apiKeys = application().app.get(ApiKeysService);
  const authenticate = apiKeys.authenticate.bind(apiKeys);
  let [lookups, resume] = [0, () => {}];
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  jest.spyOn(apiKeys, 'authenticate').mockImplementation(async (given) => {
    lookups++;
    await resumed;
    return authenticate(given);
  });
  const closed: Promise<unknown>[] = [];
  const watch = (_request: unknown, response: ServerResponse) => closed.push(once(response, 'close'));
  application().server.on('request', watch);
  const gone = disconnectable(key, 3);
  await until(() => lookups === 3);
  for (const request of gone) request.destroy();
  await Promise.all(closed);
  application().server.off('request', watch);
  resume();
  await busy.client.get(DOMAINS).expect(200);
});

/** Requests whose connections a test can destroy. */
function disconnectable(key: string, count: number): ClientRequest[] {
  const options = { host: '127.0.0.1', port: application().port, path: DOMAINS, headers: { Authorization: `Bearer ${key}` } };
  return Array.from({ length: count }, () => get(options).on('error', () => undefined));
}
