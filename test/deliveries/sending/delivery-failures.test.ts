// Runs on SQLite; in the whole run, on MySQL too.
import { Logger } from '@nestjs/common';
import { LaneTable } from '../../../src/deliveries/queue/lane';
import { type Sandbox, startSandbox } from '../../../src/programs/sandbox/testing';
import { sandboxAccount, type SandboxTestAccount } from '../../support/application';
import { DATABASE } from '../../support/database';
import { createWebhook, idsOf, readDelivery, sendMessage } from '../../support/deliveries';
import { httpChannel } from '../../support/outgoing';
import { DELIVERIES, HANDLERS } from '../../support/records';

let sandbox: Sandbox;
let account: SandboxTestAccount;
let warnings: jest.SpyInstance;

beforeAll(async () => {
  sandbox = await startSandbox({ database: DATABASE });
});
beforeEach(async () => {
  account = await sandboxAccount(sandbox);
  warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
});
afterAll(() => sandbox.stop());

/** Sends a message that the receiver answers so, and returns its delivery. */
async function deliver(handler: number, status: number, body = ''): Promise<number> {
  sandbox.answer({ handler_id: handler, answers: [{ status, body }] });
  const [id] = await sendMessage(account, [handler]);
  await sandbox.settle(account);
  return id;
}
const newWebhook = (url = 'https://hooks.example.com/secret-path', name = 'Pager') => createWebhook(account, url, name);

type Line = Record<string, unknown>;

/** The lines about failed deliveries of this test's account. */
const lines = () => (warnings.mock.calls as [Line][]).map(([line]) => line).filter((line) => line.account === account.id);

test('a delivery that has failed is a line with what happened, without a text, an address or a secret', async () => {
  const handler = await newWebhook('https://hooks.example.com/secret-path', 'Secret name');
  const id = await deliver(handler, 410);
  const { message_id } = await readDelivery(account, id);
  const delivery = { account: account.id, handler_id: handler, message_id, delivery_id: id };
  expect(lines()).toEqual([
    { message: 'A delivery failed.', ...delivery, type: 'webhook', outcome: 'rejected', status: 410, code: undefined },
  ]);
});

test.each<[string, Record<string, string>, number, string, object]>([
  ['twilio', { twilio: '+14155550100' }, 400, '{"code":21211,"message":"secret"}', { outcome: 'rejected', status: 400, code: 21_211 }],
  ['discord', {}, 404, '{"code":10015,"message":"Unknown Webhook"}', { outcome: 'rejected', status: 404, code: 10_015 }],
  [
    'email',
    { email: 'night@example.com' },
    550,
    '5.1.1 <night@example.com> is unknown',
    { outcome: 'rejected', status: 550, code: '5.1.1' },
  ],
  ['slack', {}, 404, 'no_service secret', { outcome: 'rejected', status: 404, code: undefined }],
  ['webhook', { webhook: 'http://10.0.0.1/' }, 200, '', { outcome: 'blocked_address', status: null, code: undefined }],
])('the line of %s has the service’s own code', async (type, settings, status, body, expected) => {
  const handler = await account.client.create(HANDLERS, { name: type, type, [type]: 'https://hooks.example.com/secret-path', ...settings });
  const id = await deliver(handler, status, body);
  expect(lines()).toEqual([expect.objectContaining({ handler_id: handler, delivery_id: id, type, ...expected })]);
  expect(JSON.stringify(lines())).not.toMatch(/secret|127\.0|10\.0|example|\+1/);
});

test('a handler has one line a minute, and the next says how many were left out', async () => {
  const [noisy, other] = [await newWebhook(), await newWebhook()];
  const first = await deliver(noisy, 410);
  for (let count = 0; count < 3; count++) await deliver(noisy, 410);
  const others = await deliver(other, 410);
  await sandbox.advance('60s');
  const later = await deliver(noisy, 410);
  expect(lines().map(({ delivery_id, left_out }) => [delivery_id, left_out])).toEqual([
    [first, undefined],
    [others, undefined],
    [later, 3],
  ]);
});

test('an attempt that is followed by another has no line', async () => {
  await deliver(await newWebhook(), 503);
  expect(lines()).toEqual([]);
});

describe('a fault of this service', () => {
  const channel = httpChannel('twilio');
  const fault = new Error('a bug');
  const raise = () => {
    throw fault;
  };
  const attempt = { outcome: 'internal_error', status: null, detail: 'Internal error. The operator can find the cause in the log.' };
  let errors: jest.SpyInstance;
  let handler: number;

  beforeEach(async () => {
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    handler = await account.client.create(HANDLERS, { name: 'Pager', type: 'twilio', twilio: '+14155550100' });
  });

  test('is an internal_error, logged and tried again', async () => {
    jest.spyOn(channel, 'request').mockImplementationOnce(raise);
    const [id] = await sendMessage(account, [handler]);
    await sandbox.settle(account);
    const { status, log } = await readDelivery(account, id);
    expect([status, log]).toEqual(['pending', [expect.objectContaining(attempt)]]);
    expect(errors).toHaveBeenCalledWith({ message: 'A delivery failed because of a bug in this service.', err: fault });
    expect(sandbox.sent({ account: account.id })).toEqual([]);
    await sandbox.advance('6s');
    expect(await readDelivery(account, id)).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  test('after what costs money was sent is final', async () => {
    jest.spyOn(channel, 'judge').mockImplementationOnce(raise);
    const [id] = await sendMessage(account, [handler]);
    await sandbox.settle(account);
    expect(await readDelivery(account, id)).toMatchObject({ status: 'failed', attempts: 1, log: [attempt] });
    expect(errors).toHaveBeenCalledTimes(1);
  });

  test('is an internal_error of a test, too, and an outcome to filter and count by', async () => {
    jest.spyOn(channel, 'request').mockImplementationOnce(raise).mockImplementationOnce(raise);
    const { body } = await account.client.post(`${HANDLERS}/${handler}/test`).expect(200);
    expect((body as { data: object }).data).toMatchObject(attempt);
    const [id] = await sendMessage(account, [handler]);
    await sandbox.settle(account);
    expect(await idsOf(account, `${DELIVERIES}?outcome=internal_error`)).toEqual([id]);
    expect((await account.client.get(`${DELIVERIES}/statistics?group=outcome`).expect(200)).text).toContain('"internal_error"');
  });
});

test('a failure that is rolled back has its line once it is committed', async () => {
  const lanes = sandbox.get(LaneTable);
  const save = lanes.save.bind(lanes);
  let rolledBack = 0;
  jest.spyOn(lanes, 'save').mockImplementation(async (statements, changed) => {
    await save(statements, changed);
    const failed = await statements.read("SELECT id FROM deliveries WHERE account_id = ? AND status = 'failed'", [account.id]);
    if (failed.length > 0 && rolledBack++ === 0) throw new Error('rolled back');
  });
  const id = await deliver(await newWebhook(), 410);
  expect(rolledBack).toBeGreaterThan(1);
  expect(lines()).toEqual([expect.objectContaining({ delivery_id: id })]);
});
