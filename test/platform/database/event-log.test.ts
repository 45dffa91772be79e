// Runs on SQLite and MySQL.
import { AuditLog } from '../../../src/platform/database/events/audit-log';
import { EventNumbers } from '../../../src/platform/database/events/event-numbers';
import { type TestAccount, useApplication, withApplication } from '../../support/application';
import { holdClock } from '../../support/clock';
import { runCommand } from '../../support/command';
import { connectTo, onMysql } from '../../support/database';
import { expectErrors } from '../../support/errors';
import { DOMAINS, newHost } from '../../support/records';

const DAY = 86_400_000;
const EVENTS = '/api/events';

interface PageBody {
  data: { id: string; type: string; record: { id: number } | null; data: object; actor: object }[];
  meta: { next: string };
}

const { application, database } = useApplication({ EVENTS_KEEP_DAYS: '2' });
let account: TestAccount;

beforeEach(async () => {
  account = await application().createAccount();
});

const read = async (after = 'oldest') => (await account.client.get(`${EVENTS}?limit=1000&after=${after}`).expect(200)).body as PageBody;
const addDomain = () => account.client.create(DOMAINS, { host: newHost() });
const numbers = () => application().app.get(EventNumbers);

if (onMysql) {
  test('a transaction that commits after later ones is not skipped', async () => {
    const slow = await connectTo(database().env.DATABASE_URL);
    await slow.beginTransaction();
    const insert =
      "INSERT INTO audit (datetime, account_id, action, record, record_id) VALUES ('2026-11-21 14:05:09', ?, 'create', 'domain', ?)";
    await slow.query(insert, [account.id, 4_711]); // a lower id than those of what follows
    const later = [await addDomain(), await addDomain()];
    const { data, meta } = await read();
    expect(data.map(({ record }) => record?.id)).toEqual(later);
    await slow.commit();
    await slow.end();
    expect((await read(meta.next)).data.map(({ record }) => record?.id)).toEqual([4_711]);
  });
}

test('processes that number at once lose and double nothing', async () => {
  await withApplication(database().env, async (other) => {
    const writes = Array.from({ length: 30 }, () => addDomain());
    const numbering = Array.from({ length: 30 }, (_, at) => (at % 2 ? numbers() : other.app.get(EventNumbers)).number());
    const ids = await Promise.all(writes);
    await Promise.all(numbering);
    const shown = (await read()).data.map(({ record }) => record!.id);
    expect(shown.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  });
});

test('after EVENTS_KEEP_DAYS an event is in the audit alone, and cursors of before have expired', async () => {
  const { meta } = await read('latest');
  const host = newHost();
  const id = await account.client.create(DOMAINS, { host });
  expect(await runCommand(database().env, ['domains', 'verify', String(id)])).toMatchObject({ code: 0 });
  await account.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(200); // unverified: not in the audit
  await numbers().number();
  const clock = holdClock(application());
  clock.move(3 * DAY);
  await application().app.get(AuditLog).expire();
  expect((await read()).data).toEqual([]);
  expectErrors(await account.client.get(`${EVENTS}?after=${meta.next}`), { code: 'cursor_expired', source: 'query.after' });
  const left = (await application().rows('audit')).filter((row) => row.record === 'domain' && row.record_id === id);
  expect(left.map(({ action }) => action)).toEqual(['create', 'verify', 'update']);
  const later = await addDomain();
  expect((await read()).data.map(({ record }) => record?.id)).toEqual([later]);
});

test('the audit is pruned by its age, but not while the feed shows it', async () => {
  const id = await addDomain();
  const kept = async () =>
    (await application().app.get(AuditLog).find({ accountId: account.id, max: 100 })).map(({ record_id }) => record_id);
  expect(await application().app.get(AuditLog).prune('2999-01-01')).toBeGreaterThanOrEqual(0);
  expect(await kept()).toContain(id);
  await numbers().number();
  holdClock(application()).move(3 * DAY);
  await application().app.get(AuditLog).prune('2999-01-01');
  expect(await kept()).not.toContain(id);
});
