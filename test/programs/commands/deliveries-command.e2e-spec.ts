/** @mysql whole */
import { DeliveryWorker } from '../../../src/deliveries/sending/delivery-worker';
import { type TestAccount, useApplication } from '../../support/http/application';
import { type Outcome, runCommand } from '../../support/areas/command';
import { createWebhook, deliveryWhen, failedDelivery, finished, sendMessage, webhookIdIn } from '../../support/areas/deliveries';
import { answer, receiver } from '../../support/servers/receiver';
import { HANDLERS } from '../../support/areas/records';
import { testOnce } from '../../support/jest/size';

const { application, database } = useApplication();
const run = (...argv: string[]): Promise<Outcome> => runCommand(database().env, ['deliveries', ...argv]);
const FAILED = ['--status', 'failed', '--since', '2020-01-01'];
const UNAVAILABLE = 'the handler is deleted, disabled, or of another type now';

let account: TestAccount;
let name: string;

beforeEach(async () => {
  account = await application().createAccount();
  name = String((await application().rows('accounts')).find(({ id }) => id === account.id)!.name);
});

async function list(...argv: string[]): Promise<Record<string, unknown>[]> {
  return JSON.parse((await run('list', '--json', ...argv)).stdout) as Record<string, unknown>[];
}

/** Spares a test the second until the service polls for due deliveries. */
const wake = () => application().app.get(DeliveryWorker).loop.wake();

test('deliveries list prints the newest first', async () => {
  const other = await application().createAccount();
  const theirs = await createWebhook(other, receiver.url());
  const [theirDelivery] = await sendMessage(other, [theirs]);
  await finished(other, theirDelivery);
  const handler = await createWebhook(account, receiver.url());
  const failed = await failedDelivery(account, handler);
  const [delivered] = await sendMessage(account, [handler], { title: 'a secret title', text: 'a secret text' });
  await finished(account, delivered);

  const webhook = { handler, handler_name: 'Pager', type: 'webhook' };
  const common = { account: name, ...webhook, attempts: 1, next_attempt: null, message: expect.any(Number) as number };
  const [found, gone] = [{ detail: 'The receiver answered 200.' }, { detail: 'The receiver answered 410.' }];
  const datetime = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string;
  expect(await list('--account', name)).toEqual([
    {
      ...common,
      ...found,
      id: delivered,
      name: await webhookIdIn(application(), delivered),
      status: 'delivered',
      outcome: 'delivered',
      datetime,
    },
    { ...common, ...gone, id: failed, name: await webhookIdIn(application(), failed), status: 'failed', outcome: 'rejected', datetime },
  ]);
  expect((await list('--status', 'delivered')).map(({ id }) => id).slice(0, 2)).toEqual([delivered, theirDelivery]);
  expect((await list('--account', name, '--status', 'failed')).map(({ id }) => id)).toEqual([failed]);
  expect(await list('--account', name, '--status', 'pending')).toEqual([]);
  const { stdout, stderr } = await run('list', '--account', name, '--limit', '1');
  expect(stdout).toMatch(/^id +name +account .*\n\d+ .*delivered.*\n$/);
  expect(stdout).not.toContain('secret');
  expect(stderr).toBe('Showing the newest 1; there may be more: raise --limit <number>.\n');
});

test('deliveries list filters by handler and creation time', async () => {
  const [first, second] = [await createWebhook(account, receiver.url()), await createWebhook(account, receiver.url())];
  const [old, recent] = [await failedDelivery(account, first), await failedDelivery(account, first)];
  const [another] = await sendMessage(account, [second]);
  await finished(account, another);
  await application().dataSource.query("UPDATE deliveries SET datetime = '2020-06-01 12:00:00' WHERE id = ?", [old]);
  const ids = async (...argv: string[]) => (await list('--account', name, ...argv)).map(({ id }) => id);
  expect(await ids('--handler', String(first))).toEqual([recent, old]);
  expect(await ids('--since', '2020-06-02')).toEqual([another, recent]);
  expect(await ids('--since', '2020-06-01 12:00:00', '--handler', String(first))).toEqual([recent, old]);
  expect(await ids('--handler', String(second), '--status', 'failed')).toEqual([]);
});

test('deliveries show prints the message’s title, the handler, the log and the receipt', async () => {
  const handler = await createWebhook(account, receiver.url());
  const [id] = await sendMessage(account, [handler], { title: 'Backup failed', text: 'a secret text' });
  const { message_id, log, datetime, last_datetime } = await finished(account, id);
  await account.client.delete(`${HANDLERS}/${handler}`).expect(200);
  const { code, stdout } = await run('show', String(id), '--json');
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      id,
      account: name,
      message: message_id,
      title: 'Backup failed',
      handler,
      handler_name: null,
      step: 0,
      type: 'webhook',
      status: 'delivered',
      outcome: 'delivered',
      attempts: 1,
      next_attempt: null,
      receipt: null,
      last_datetime,
      datetime,
      log,
    },
  ]);
  const shown = (await run('show', String(id))).stdout;
  expect(shown).toMatch(
    /^id +\d+\n[^]*\ntitle +Backup failed\n[^]*\noutcome +delivered\n[^]*\n\nnumber +datetime [^]*\n1 .* delivered +200 /,
  );
  expect(shown).toMatch(/\nreceipt +-\n/);
  const receipt = { status: 'undelivered', code: 30003, datetime: '2026-11-24 10:00:00' };
  await application().dataSource.query('UPDATE deliveries SET receipt = ? WHERE id = ?', [JSON.stringify(receipt), id]);
  expect(JSON.parse((await run('show', String(id), '--json')).stdout)).toMatchObject({ receipt });
  expect((await run('show', String(id))).stdout).toMatch(/\nreceipt +undelivered, error 30003, 2026-11-24 10:00:00\n/);
  expect(shown).not.toContain('secret');
  expect(await run('show', '999999999')).toEqual({ code: 1, stdout: '', stderr: 'frontdesk: There is no delivery with this id.\n' });
});

test('messages acknowledge accepts only a message that awaits an acknowledgement', async () => {
  const handler = await createWebhook(account, receiver.url());
  const [first] = await sendMessage(account, [handler], { steps: `300:${handler}` });
  const { message_id: id } = await finished(account, first);
  const acknowledge = (...argv: string[]) => runCommand(database().env, ['messages', 'acknowledge', ...argv]);
  const { code, stderr } = await acknowledge(String(id));
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Acknowledged since [\d: -]{19}\. Cancelled 1 delivery; 0 in progress\.\n$/)]);
  expect(JSON.parse((await acknowledge(String(id), '--json')).stdout)).toMatchObject({ id, cancelled: 0, at_work: 0 });
  const [other] = await sendMessage(account, [handler]);
  const refused = await acknowledge(String((await finished(account, other)).message_id));
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^frontdesk: This message does not wait for an acknowledgement/),
  ]);
});

test('deliveries list prints the next attempt of a pending delivery', async () => {
  receiver.answer = answer(503);
  const [id] = await sendMessage(account, [await createWebhook(account, receiver.url())]);
  const { next_attempt } = await deliveryWhen(account, id, ({ log }) => log.length === 1);
  expect(await list('--account', name, '--status', 'pending')).toEqual([
    expect.objectContaining({ id, status: 'pending', outcome: 'server_error', next_attempt }),
  ]);
});

test('deliveries retry <id> is picked up by the running service', async () => {
  const handler = await createWebhook(account, receiver.url());
  const id = await failedDelivery(account, handler);
  expect(await run('retry', String(id))).toEqual({ code: 0, stdout: '', stderr: `Delivery ${id} is due now.\n` });
  expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 2 });
  expect(receiver.requests).toHaveLength(1);
  const entry = (await application().audited()).findLast(({ action }) => action === 'retry');
  expect(entry).toMatchObject({ account_id: account.id, key_id: null, record: 'delivery', record_id: id });

  const refused = `frontdesk: Only a failed delivery can be retried; this one is delivered.\n`;
  expect(await run('retry', String(id))).toEqual({ code: 1, stdout: '', stderr: refused });
});

test('deliveries retry rejects a delivery whose handler is disabled', async () => {
  const handler = await createWebhook(account, receiver.url());
  const id = await failedDelivery(account, handler);
  await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: '0' }).expect(200);
  const { code, stderr } = await run('retry', String(id));
  expect([code, stderr]).toEqual([1, `frontdesk: T${UNAVAILABLE.slice(1).replace('handler', 'handler of this delivery')}.\n`]);
});

test('deliveries retry --status failed skips deliveries whose handler is unavailable', async () => {
  const [first, second] = [await createWebhook(account, receiver.url()), await createWebhook(account, receiver.url())];
  const id = await failedDelivery(account, first);
  const copied = 'account_id, message_id, handler_id, type, lane, status, attempts, tries, is_counted, part, last_datetime, datetime';
  for (let count = 1; count < 128; count *= 2) {
    const copy = `INSERT INTO deliveries (${copied}) SELECT ${copied} FROM deliveries WHERE account_id = ${account.id}`;
    await application().dataSource.query(copy);
  }
  const skipped = await failedDelivery(account, second);
  await account.client.post(`${HANDLERS}/${second}`, { is_enabled: '0' }).expect(200);

  expect(await run('retry', '--status', 'failed', '--since', '2999-01-01', '--account', name)).toMatchObject({
    stderr: '0 deliveries are due now.\n',
  });
  expect(await run('retry', ...FAILED, '--account', name)).toEqual({
    code: 0,
    stdout: '',
    stderr: `128 deliveries are due now. Skipped 1: the message has expired, or ${UNAVAILABLE}.\n`,
  });
  wake();
  await receiver.received(128);
  await finished(account, id);
  const retries = (await application().audited()).filter((row) => row.action === 'retry' && row.account_id === account.id);
  expect(new Set(retries.map(({ record_id }) => record_id)).size).toBe(128);
  expect((await list('--account', name, '--status', 'failed')).map((delivery) => delivery.id)).toEqual([skipped]);
});

test('deliveries retry without --account covers every account', async () => {
  const id = await failedDelivery(account, await createWebhook(account, receiver.url()));
  expect(await run('retry', ...FAILED)).toMatchObject({ code: 0, stdout: '' });
  wake();
  expect(await finished(account, id)).toMatchObject({ status: 'delivered' });
});

const FORMS = /^frontdesk: Give either a delivery id, or --status failed with --since <time>\.\n$/;

testOnce.each([
  [['retry'], FORMS],
  [['retry', '7', ...FAILED], FORMS],
  [['retry', '7', '--account', 'acme'], FORMS],
  [['retry', '--status', 'failed'], FORMS],
  [['retry', '--since', '2020-01-01'], FORMS],
  [['retry', '999999999'], /^frontdesk: There is no delivery with this id\.\n$/],
  [['retry', 'msg_7'], /^error: .* in digits/],
  [['retry', '--status', 'pending', '--since', '2020-01-01'], /^error: .*--status.* failed/],
  [['retry', ...FAILED, '--account', 'nobody'], /^frontdesk: There is no account named "nobody"/],
  [['list', '--status', 'late'], /^error: .*pending, delivered, failed, cancelled/],
  [['list', '--limit', '0'], /^error: .* from 1 to 999999/],
])('deliveries %j exits with 1 and one line on standard error', async (argv, line) => {
  const { code, stdout, stderr } = await run(...argv);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(line);
  expect(stderr.trimEnd()).not.toContain('\n');
});
