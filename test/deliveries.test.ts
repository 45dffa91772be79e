import { useApplication, type TestAccount } from './support/application';
import { createWebhook, deliveryWhen, finished, holdClock, REACH_LOOPBACK, sendMessage } from './support/deliveries';
import { answer, Receiver } from './support/receiver';

const { application } = useApplication({ ...REACH_LOOPBACK, LOG_LEVEL: 'warn' });
let account: TestAccount;
let receiver: Receiver;

beforeAll(async () => {
  account = await application().createAccount();
  receiver = await Receiver.start();
});
beforeEach(() => receiver.reset());
afterAll(() => receiver.stop());

test('a message is delivered through a webhook', async () => {
  const handler = await createWebhook(account, receiver.url('/hook'));
  const [id] = await sendMessage(account, [handler], { title: 'Backup', url: 'https://example.com/x' });
  const delivery = await finished(account, id);
  expect(delivery).toMatchObject({ handler_id: handler, type: 'webhook', status: 'delivered', attempts: 1, next_attempt: null });
  expect(delivery.log).toEqual([expect.objectContaining({ number: 1, outcome: 'delivered', status: 200 })]);
  expect(receiver.requests).toHaveLength(1);
});

test('what fails is tried again after the waits, and then failed', async () => {
  receiver.answer = answer(503);
  const clock = holdClock(application());
  const handler = await createWebhook(account, receiver.url('/hook'));
  const [id] = await sendMessage(account, [handler]);
  for (const [index, wait] of [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200].entries()) {
    await deliveryWhen(account, id, ({ log }) => log.length === index + 1);
    clock.move(wait * 1_100);
  }
  const delivery = await finished(account, id);
  expect(delivery).toMatchObject({ status: 'failed', attempts: 9, next_attempt: null });
});
