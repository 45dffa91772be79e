import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { LaneTable } from '../src/deliveries/queue/lane';
import { type TestAccount, useApplication } from './support/application';
import {
  createWebhook,
  deliveryWhen,
  failedDelivery,
  finished,
  holdClock,
  readDelivery,
  REACH_LOOPBACK,
  sendMessage,
} from './support/deliveries';
import { MailServer, reply } from './support/mail-server';
import { answer, Receiver } from './support/receiver';
import { HANDLERS } from './support/records';

let receiver: Receiver;
let mailServer: MailServer;

const { application } = useApplication(async () => {
  receiver = await Receiver.start();
  mailServer = await MailServer.start({
    hideSTARTTLS: true,
    onRcptTo: (_address, _session, done) => done(reply(550, '5.1.1 <night@example.com> is unknown at mail.example.com')),
  });
  const smtp = { SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`, MAIL_FROM: 'desk@example.com' };
  const twilio = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'twilio-secret', TWILIO_FROM: '+15005550006' };
  return { ...REACH_LOOPBACK, ...smtp, ...twilio, TWILIO_API_URL: receiver.url(''), TELEGRAM_API_URL: receiver.url('') };
});
let account: TestAccount;
let warnings: jest.SpyInstance;

beforeEach(async () => {
  account = await application().createAccount();
  receiver.reset();
  warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
});
afterAll(async () => {
  await receiver.stop();
  await mailServer.close();
});

type Line = Record<string, unknown>;

/** The lines about failed deliveries of this test's account. */
const lines = () => (warnings.mock.calls as [Line][]).map(([line]) => line).filter((line) => line.account === account.id);

/** A line may follow the commit that shows the failure. */
async function linesOnceThere(count = 1): Promise<Line[]> {
  while (lines().length < count) await pause(1);
  return lines();
}

test('a delivery that has failed is a line with what happened, without a text, an address or a secret', async () => {
  const handler = await createWebhook(account, receiver.url('/secret-path'), 'Secret name');
  const id = await failedDelivery(account, receiver, handler);
  const { message_id } = await readDelivery(account, id);
  const delivery = { account: account.id, handler_id: handler, message_id, delivery_id: id };
  expect(await linesOnceThere()).toEqual([
    { message: 'A delivery failed.', ...delivery, type: 'webhook', outcome: 'rejected', status: 410, code: undefined },
  ]);
});

test.each<[string, Record<string, string>, number, string, object]>([
  ['twilio', { twilio: '+14155550100' }, 400, '{"code":21211,"message":"secret"}', { outcome: 'rejected', status: 400, code: 21_211 }],
  ['discord', {}, 404, '{"code":10015,"message":"Unknown Webhook"}', { outcome: 'rejected', status: 404, code: 10_015 }],
  ['email', { email: 'night@example.com' }, 0, '', { outcome: 'rejected', status: 550, code: '5.1.1' }],
  ['slack', {}, 404, 'no_service secret', { outcome: 'rejected', status: 404, code: undefined }],
  ['webhook', { webhook: 'http://10.0.0.1/' }, 0, '', { outcome: 'blocked_address', status: null, code: undefined }],
])('the line of %s has the service’s own code', async (type, settings, status, body, expected) => {
  if (status) receiver.answer = answer(status, {}, body);
  const handler = await account.client.create(HANDLERS, { name: type, type, [type]: receiver.url('/secret-path'), ...settings });
  const [id] = await sendMessage(account, [handler]);
  await finished(account, id);
  expect(await linesOnceThere()).toEqual([expect.objectContaining({ handler_id: handler, delivery_id: id, type, ...expected })]);
  expect(JSON.stringify(lines())).not.toMatch(/secret|127\.0|10\.0|example|\+1/);
});

test('a handler has one line a minute, and the next says how many were left out', async () => {
  const clock = holdClock(application());
  const [noisy, other] = [await createWebhook(account, receiver.url('/a')), await createWebhook(account, receiver.url('/b'))];
  const first = await failedDelivery(account, receiver, noisy);
  for (let count = 0; count < 3; count++) await failedDelivery(account, receiver, noisy);
  const others = await failedDelivery(account, receiver, other);
  clock.move(60_000);
  const later = await failedDelivery(account, receiver, noisy);
  expect((await linesOnceThere(3)).map(({ delivery_id, left_out }) => [delivery_id, left_out])).toEqual([
    [first, undefined],
    [others, undefined],
    [later, 3],
  ]);
});

test('an attempt that is followed by another has no line', async () => {
  receiver.answer = answer(503);
  const [id] = await sendMessage(account, [await createWebhook(account, receiver.url())]);
  await deliveryWhen(account, id, ({ log }) => log.length === 1);
  expect(lines()).toEqual([]);
});

test('a failure that is rolled back has its line once it is committed', async () => {
  const lanes = application().app.get(LaneTable);
  const save = lanes.save.bind(lanes);
  let rolledBack = 0;
  jest.spyOn(lanes, 'save').mockImplementation(async (statements, changed) => {
    await save(statements, changed);
    const failed = await statements.read("SELECT id FROM deliveries WHERE account_id = ? AND status = 'failed'", [account.id]);
    if (failed.length > 0 && rolledBack++ === 0) throw new Error('rolled back');
  });
  const id = await failedDelivery(account, receiver, await createWebhook(account, receiver.url()));
  expect(rolledBack).toBeGreaterThan(1);
  expect(await linesOnceThere()).toEqual([expect.objectContaining({ delivery_id: id })]);
});
