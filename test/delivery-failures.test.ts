import { Logger } from '@nestjs/common';
import { LaneTable } from '../src/deliveries/queue/lane';
import { type Sandbox, startSandbox } from '../src/testing';
import { sandboxAccount, type SandboxTestAccount } from './support/application';
import { DATABASE } from './support/database';
import { createWebhook, readDelivery, sendMessage } from './support/deliveries';
import { HANDLERS } from './support/records';

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
