// Runs on SQLite; in the whole run, on MySQL too.
import { DeliveryWorker } from '../../../src/deliveries/sending/delivery-worker';
import { Outbound } from '../../../src/platform/outbound/outbound';
import { OutboundError } from '../../../src/platform/outbound/outbound-request';
import { type TestAccount, useApplication } from '../../support/application';
import { ByteServer } from '../../support/byte-server';
import { holdClock, until } from '../../support/clock';
import { createWebhook, deliveryWhen, finished, readDelivery, sendMessage } from '../../support/deliveries';
import { receiver } from '../../support/receiver';
import { HANDLERS } from '../../support/records';

const LEASE = 30_000;
const HOUR = 3_600_000;

/** Greets, and answers all commands; the content and its end only when a test says so. */
let mailServer: ByteServer;
let greets = true;

const { application } = useApplication(async () => {
  mailServer = await ByteServer.start((socket, text) => {
    if (text === '') return greets ? void socket.write('220 hello\r\n') : undefined;
    if (/^(EHLO|MAIL|RCPT) [^\r]*\r\n$/m.test(text.slice(text.lastIndexOf('\n', text.length - 3) + 1))) socket.write('250 OK\r\n');
    else if (text.endsWith('\r\nDATA\r\n')) socket.write('354 go on\r\n');
  });
  const SMTP_URL = `smtp://127.0.0.1:${mailServer.port}`;
  return { SMTP_URL, MAIL_FROM: 'desk@example.com', DELIVERY_CONCURRENCY: '1', DELIVERY_WAITS: '0,0,0' };
});

let account: TestAccount;
let handler: number;

beforeEach(async () => {
  account = await application().createAccount();
  handler = await account.client.create(HANDLERS, { name: 'Mail', type: 'email', email: 'night@example.com' });
  greets = true;
  mailServer.sockets.length = 0;
  mailServer.received.length = 0;
});

afterEach(() => mailServer.sockets.forEach((socket) => socket.destroy()));
afterAll(() => mailServer.close());

const contents = () => mailServer.received.filter((text) => text.includes('\r\n.\r\n')).length;
const contentOf = (count: number) => mailServer.until(() => contents() === count);
const accept = () => mailServer.sockets.at(-1)!.write('250 OK\r\n');

/** Delivers through a webhook of another account, so that a turn has run since the clock moved. */
async function deliverToNeighbour(): Promise<void> {
  const neighbour = await application().createAccount();
  const [id] = await sendMessage(neighbour, [await createWebhook(neighbour, receiver.url('/neighbour'))]);
  expect((await finished(neighbour, id)).status).toBe('delivered');
}

/** What a delivery looks like to other processes when its own has died. */
async function lapse(id: number): Promise<void> {
  const { dataSource } = application();
  await dataSource.query('UPDATE deliveries SET started = started - ? WHERE id = ?', [LEASE + 1_000, id]);
  await dataSource.query('UPDATE delivery_lanes SET available = 0 WHERE lane = (SELECT lane FROM deliveries WHERE id = ?)', [id]);
}

test('a mail server that takes its time with the content holds no slot, and gets the mail once', async () => {
  const [id] = await sendMessage(account, [handler]);
  await contentOf(1);
  await deliverToNeighbour(); // with the only slot
  expect(await readDelivery(account, id)).toMatchObject({ status: 'pending', log: [] });
  accept();
  expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 1 });
  expect(contents()).toBe(1);
});

test.each([
  ['a greeting', () => mailServer.until(() => mailServer.sockets.length === 1), () => (greets = false)],
  ['the reply to the content', () => contentOf(1), () => undefined],
])('while a mail waits for %s, nobody else takes it up', async (_, waiting, prepare) => {
  prepare();
  const clock = holdClock(application());
  const [id] = await sendMessage(account, [handler]);
  await waiting();
  const { dataSource } = application();
  const leased = async () =>
    (await dataSource.query<{ started: number }[]>('SELECT started FROM deliveries WHERE id = ?', [id]))[0].started;
  const begun = Number(await leased());
  for (let times = 1; times <= 3; times++) {
    clock.move(12_000);
    await until(leased, (time) => Number(time) >= begun + times * 12_000);
  }
  if (greets) await deliverToNeighbour();
  expect(await readDelivery(account, id)).toMatchObject({ status: 'pending', attempts: 1, log: [] });
  mailServer.sockets[0].write(greets ? '250 OK\r\n' : '220 hello\r\n');
  if (!greets) await contentOf(1).then(accept);
  expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 1 });
  expect(mailServer.sockets).toHaveLength(1);
});

test('a mail whose process died after its content is unknown, sent once more an hour later, and then given up', async () => {
  const clock = holdClock(application());
  const [id] = await sendMessage(account, [handler]);
  for (const attempt of [1, 2]) {
    await contentOf(attempt);
    await lapse(id);
    await deliverToNeighbour();
    await deliveryWhen(account, id, ({ log }) => log.length === attempt);
    clock.move(HOUR - 60_000);
    await deliverToNeighbour();
    expect(contents()).toBe(attempt);
    clock.move(60_000);
  }
  const { log, ...delivery } = await finished(account, id);
  expect(delivery).toMatchObject({ status: 'failed', outcome: 'unknown', attempts: 2 });
  expect(log.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
  expect(contents()).toBe(2);
});

test('a mail whose process died before its content is sent at once', async () => {
  const [id] = await sendMessage(account, [handler], { send_at: new Date(Date.now() + HOUR).toISOString() });
  await application().dataSource.query("UPDATE deliveries SET lease = 'a dead process', started = ?, attempts = 1 WHERE id = ?", [
    Date.now(),
    id,
  ]);
  await lapse(id);
  application().app.get(DeliveryWorker).wake();
  await contentOf(1);
  accept();
  expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 2, log: [{ outcome: 'unknown' }, {}] });
});

describe('a mail whose content was written and got no answer', () => {
  const MUTE = new OutboundError('timeout', true);
  const outcomes = async (id: number) => (await readDelivery(account, id)).log.map(({ outcome }) => outcome);

  test('is tried again once, an hour later', async () => {
    const clock = holdClock(application());
    const mail = jest.spyOn(application().app.get(Outbound), 'mail').mockRejectedValue(MUTE);
    const [id] = await sendMessage(account, [handler]);
    await deliveryWhen(account, id, ({ log }) => log.length === 1);
    clock.move(HOUR - 60_000);
    await deliverToNeighbour();
    expect(mail).toHaveBeenCalledTimes(1);
    clock.move(60_000);
    expect(await finished(account, id)).toMatchObject({ status: 'failed', outcome: 'unknown', attempts: 2 });
    expect(await outcomes(id)).toEqual(['unknown', 'unknown']);
  });

  test('holds back no other mail of the handler, and starts over with a retry', async () => {
    const clock = holdClock(application());
    const mail = jest.spyOn(application().app.get(Outbound), 'mail').mockRejectedValue(MUTE);
    const [id] = await sendMessage(account, [handler]);
    await deliveryWhen(account, id, ({ log }) => log.length === 1);
    clock.move(HOUR);
    await finished(account, id);
    await account.client.post(`/api/deliveries/${id}/retry`).expect(200);
    expect(await deliveryWhen(account, id, ({ log }) => log.length === 3)).toMatchObject({ status: 'pending' });
    mail.mockResolvedValue({ status: 250, text: 'OK', step: 'content' });
    const [other] = await sendMessage(account, [handler]);
    expect((await finished(account, other)).status).toBe('delivered');
    clock.move(HOUR);
    expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 4 });
  });

  test('unlike one whose content was not, which follows the waits', async () => {
    jest.spyOn(application().app.get(Outbound), 'mail').mockRejectedValue(new OutboundError('timeout', false));
    const [id] = await sendMessage(account, [handler]);
    expect(await finished(account, id)).toMatchObject({ status: 'failed', attempts: 4 });
    expect(new Set(await outcomes(id))).toEqual(new Set(['timeout']));
  });
});
