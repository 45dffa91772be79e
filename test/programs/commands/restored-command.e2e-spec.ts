/** @mysql whole */
import { randomBytes } from 'node:crypto';
import { WriteExecutor } from '../../../src/platform/database/writes/transactions';
import { Installations } from '../../../src/deliveries/installations';
import { type TestAccount, type TestApplication, withApplication } from '../../support/http/application';
import { runCommand } from '../../support/areas/command';
import { createDatabase, type TestDatabase } from '../../support/servers/database';
import { createWebhook, deliveryWhen, finished, sendMessage, webhookIdIn } from '../../support/areas/deliveries';
import { receiver } from '../../support/servers/receiver';
import { HANDLERS } from '../../support/areas/records';

let database: TestDatabase;

beforeEach(async () => {
  database = await createDatabase();
});
afterEach(async () => {
  await database.drop();
});

const sentIds = () => receiver.requests.map(({ headers }) => headers['webhook-id']);
const MINUTE = 60_000;

/** As in a backup taken during the attempt. */
async function claim({ dataSource }: TestApplication, id: number): Promise<void> {
  const started = Date.now() - MINUTE;
  await dataSource.query("UPDATE deliveries SET lease = 'a process', started = ?, attempts = attempts + 1 WHERE id = ?", [started, id]);
  const lane = 'SELECT lane FROM deliveries WHERE id = ?';
  await dataSource.query(`UPDATE delivery_lanes SET available = ? WHERE lane = (${lane})`, [Date.now() + MINUTE, id]);
}

test('restored keeps delivery ids, gives new ones another prefix, and retries those in progress', async () => {
  let account!: TestAccount;
  let [key, webhook, phone] = ['', 0, 0];
  let [waiting, leased, paid] = [0, 0, 0];
  const before: string[] = [];
  await withApplication({ ...database.env, DELIVERY_CONCURRENCY: '0' }, async (application) => {
    account = await application.createAccount();
    key = account.key;
    webhook = await createWebhook(account, receiver.url());
    phone = await account.client.create(HANDLERS, { name: 'Phone', type: 'twilio', twilio: '+5511987654321' });
    [waiting] = await sendMessage(account, [webhook]);
    [leased] = await sendMessage(account, [webhook]);
    [paid] = await sendMessage(account, [phone]);
    for (const id of [leased, paid]) await claim(application, id);
    for (const id of [waiting, leased]) before.push(await webhookIdIn(application, id));
  });

  const { code, stdout, stderr } = await runCommand(database.env, ['restored', '--json']);
  expect([code, JSON.parse(stdout)]).toEqual([0, { part: expect.stringMatching(/^[0-9a-f]{12}$/) as string, given_back: 1 }]);
  const { part } = JSON.parse(stdout) as { part: string };
  expect(stderr).toBe(
    `New deliveries have ids msg_${part}_<id>. 1 delivery in progress when the backup was taken will be attempted again. All cursors of the feed have expired. Readers must begin again, with after=oldest or after=latest.\n`,
  );
  const audited = JSON.parse((await runCommand(database.env, ['audit', '--limit', '2', '--json'])).stdout) as object[];
  expect(audited).toMatchObject(
    ['restore installation', 'reset events'].map((name) => ({ name, account: null, key: null, record_id: null })),
  );

  await withApplication(database.env, async (application) => {
    account = { ...account, client: application.client(key) };
    await finished(account, waiting);
    expect(await finished(account, leased)).toMatchObject({ status: 'delivered', attempts: 1, log: [{ number: 1, outcome: 'delivered' }] });
    expect(await deliveryWhen(account, paid, ({ log }) => log.length > 0)).toMatchObject({
      status: 'failed',
      log: [{ outcome: 'unknown' }],
    });
    const [later] = await sendMessage(account, [webhook]);
    await finished(account, later);
    expect(sentIds().sort()).toEqual([...before, `msg_${part}_${later}`].sort());
    expect(before).not.toContain(`msg_${part}_${waiting}`);
  });
});

test('restored refuses a backup whose encryption key is missing, and changes nothing', async () => {
  await withApplication(database.env, async (application) => {
    const account = await application.createAccount();
    await createWebhook(account, receiver.url());
    const before = await application.dump();
    const SECRETS_KEY = randomBytes(32).toString('base64');
    const { code, stderr } = await runCommand({ ...database.env, SECRETS_KEY }, ['restored']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/encrypted with a key that is in neither .*: restore that key\.\n$/)]);
    expect(await application.dump()).toEqual(before);
  });
});

test('processes that start at the same time share one id prefix', async () => {
  await withApplication(database.env, (first) =>
    withApplication(database.env, async (second) => {
      await first.dataSource.query('DELETE FROM installations');
      const parts = [first, second].map(({ app }) => app.get(Installations));
      await Promise.all(parts.map((each) => each.onModuleInit()));
      const partOf = (each: Installations) => first.app.get(WriteExecutor).run((statements) => each.deliveryIdPart(statements));
      const [{ part }] = await first.dataSource.query<{ part: string }[]>('SELECT part FROM installations');
      expect(await Promise.all(parts.map(partOf))).toEqual([part, part]);
    }),
  );
});
