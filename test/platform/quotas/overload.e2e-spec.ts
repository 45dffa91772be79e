/** @mysql whole */
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http';
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

/** The database blocks until `release` is called, and no wait times out until a test advances the timers. */
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
  await until(() => admission().inFlight + admission().waiting === 0); // slots are released one turn of the event loop later
});

const admission = () => application().app.get(Admission);
const send = (account: TestAccount, count: number) => Array.from({ length: count }, () => account.client.get(DOMAINS).then());
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise(setImmediate);
};

test('requests over the limit wait and are answered', async () => {
  const [ofBusy, ofOther] = [send(busy, 30), send(other, 30)];
  await until(() => admission().inFlight + admission().waiting === 60);
  expect(admission().inFlight).toBe(4);
  release();
  for (const { status } of await Promise.all([...ofBusy, ...ofOther])) expect(status).toBe(200);
});

test('a busy account leaves a slot for others and takes turns with them', async () => {
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
  // One request of the other account has a slot; its two waiting ones get every second turn. The order of responses is up to the database.
  expect(admitted.slice(0, 4).filter((id) => id === other.id)).toHaveLength(2);
});

test('a request that waits too long is a 503 with Retry-After; health is answered under any load', async () => {
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

test('a client that disconnects frees its slot, and stops waiting', async () => {
  const gone = Array.from({ length: 10 }, () =>
    get({ ...address(), headers: { Authorization: `Bearer ${busy.key}` } }).on('error', () => 0),
  );
  await until(() => admission().inFlight + admission().waiting === 10);
  for (const request of gone) request.destroy();
  await until(() => admission().inFlight + admission().waiting === 0);
});

test('a client that disconnects during its key lookup takes no slot', async () => {
  release();
  const { key } = await application().createKey(busy.id);
  const apiKeys = application().app.get(ApiKeysService);
  const authenticate = apiKeys.authenticate.bind(apiKeys);
  let [isAsked, goOn] = [false, () => {}];
  const gone = new Promise<void>((resolve) => (goOn = resolve));
  jest.spyOn(apiKeys, 'authenticate').mockImplementation(async (asked) => {
    isAsked = true;
    await gone;
    return authenticate(asked);
  });
  const releasing = jest.spyOn(admission(), 'release');
  const asked = once(application().server, 'request') as Promise<[unknown, ServerResponse]>;
  const request = get({ ...address(), headers: { Authorization: `Bearer ${key}` } }).on('error', () => 0);
  const [, response] = await asked;
  await until(() => isAsked);
  request.destroy();
  if (!response.closed) await once(response, 'close');
  goOn();
  await until(() => releasing.mock.calls.length === 1);
  await until(() => admission().inFlight === 0);
});

test('a slow reader holds no slot', async () => {
  release();
  const agent = new Agent({ maxSockets: Infinity });
  const answers: IncomingMessage[] = [];
  for (let index = 0; index < 12; index++) {
    const request = get({ ...address(), agent, headers: { Authorization: `Bearer ${busy.key}` } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    answers.push(response.pause());
  }
  await until(() => admission().inFlight === 0);
  for (const answer of answers) answer.destroy();
  agent.destroy();
});

function address() {
  return { host: '127.0.0.1', port: application().port, path: DOMAINS };
}
