/** @mysql whole */
import { AuditLog } from '../../src/events/audit-log';
import { EventNumbers } from '../../src/platform/database/events/event-numbers';
import { ApiKeysService } from '../../src/auth/accounts/api-keys.service';
import { DomainsService } from '../../src/domains/domains.service';
import { type TestAccount, useApplication, withApplication } from '../support/http/application';
import { holdClock } from '../support/jest/clock';
import { runCommand } from '../support/areas/command';
import { connectTo, onMysql } from '../support/servers/database';
import { expectErrors } from '../support/http/errors';
import { DOMAINS, HANDLERS, newHost } from '../support/areas/records';

const DAY = 86_400_000;
const { application, database } = useApplication({ EVENTS_KEEP_DAYS: '2' });
let account: TestAccount;

beforeEach(async () => {
  account = await application().createAccount();
});

interface Entry {
  id: number;
  datetime: string;
  account_id: number;
}

/** The audit entries added by `work`. */
async function traceOf(work: () => Promise<unknown>): Promise<object[]> {
  const before = (await application().audited()).length;
  await work();
  const rows = (await application().audited()) as unknown as Entry[];
  return rows.slice(before).map(({ id: _id, datetime, ...rest }) => {
    expect(datetime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    return rest;
  });
}

const addDomain = () => account.client.create(DOMAINS, { host: newHost() });
const numbers = () => application().app.get(EventNumbers);

test.each([
  ['domain', DOMAINS, () => ({ host: newHost() }), () => ({ host: newHost() })],
  ['notification handler', HANDLERS, () => ({ name: 'Alarm', type: 'email' }), () => ({ name: 'Other' })],
])('every write of a %s adds one audit entry', async (record, path, create, update) => {
  let id = 0;
  const by = { account_id: account.id, key_id: account.keyId, record };
  const post = (to: string, fields: Record<string, string>) => account.client.post(to, fields).set('X-Request-Id', 'trace-1');
  const created = await traceOf(async () => {
    const { body } = await post(path, create()).expect(201);
    id = (body as { data: { id: number } }).data.id;
  });
  expect(created).toEqual([{ ...by, action: 'create', record_id: id, request_id: 'trace-1' }]);
  expect(await traceOf(() => post(`${path}/${id}`, update()).expect(200))).toEqual([
    { ...by, action: 'update', record_id: id, request_id: 'trace-1' },
  ]);
  const deleted = await traceOf(() => account.client.delete(`${path}/${id}`).set('X-Request-Id', 'trace-2').expect(200));
  expect(deleted).toEqual([{ ...by, action: 'delete', record_id: id, request_id: 'trace-2' }]);
});

test('a write that changes nothing adds neither an audit entry nor an event', async () => {
  const host = newHost();
  const id = await account.client.create(DOMAINS, { host });
  const other = await application().createAccount();
  const send = () => account.client.post(HANDLERS, { name: 'Once', type: 'email' }).set('Idempotency-Key', 'audit-1').expect(201);
  await send();
  const trace = await traceOf(async () => {
    await send();
    await account.client.post(`${DOMAINS}/${id}`).expect(200);
    await account.client.post(DOMAINS, { host }).expect(409);
    await account.client.post(DOMAINS, {}).expect(400);
    await other.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(404);
    await other.client.delete(`${DOMAINS}/${id}`).expect(404);
    await account.client.delete(`${DOMAINS}/${id}`).set('If-Match', '"x"').expect(412);
    await account.client.get(DOMAINS).expect(200);
  });
  expect(trace).toEqual([]);
  const { body } = await account.client.get('/api/events').expect(200);
  expect((body as { data: { type: string }[] }).data.map(({ type }) => type)).toEqual(['domain.created', 'notification_handler.created']);
});

test('operator actions are audited without a key', async () => {
  const id = await account.client.create(DOMAINS, { host: newHost() });
  const by = { account_id: account.id, key_id: null, request_id: null };
  const keys = application().app.get(ApiKeysService);
  let keyId = 0;
  const trace = await traceOf(async () => {
    await application().app.get(DomainsService).setEnabled(id, false);
    keyId = (await keys.create({ accountId: account.id, name: 'new' })).id;
    await keys.revoke(keyId);
    await keys.revoke(keyId);
  });
  expect(trace).toEqual([
    { ...by, action: 'update', record: 'domain', record_id: id },
    { ...by, action: 'create', record: 'key', record_id: keyId },
    { ...by, action: 'revoke', record: 'key', record_id: keyId },
  ]);
});

test('ids of audit entries may exceed 32 bits', async () => {
  const insert = "INSERT INTO events (id, datetime, account_id, action, record) VALUES (?, '2026-01-01 00:00:00', ?, 'create', 'domain')";
  await application().dataSource.query(insert, [2 ** 32 + 10, account.id]);
  await account.client.create(DOMAINS, { host: newHost() });
  const entries = await application().app.get(AuditLog).find({ accountId: account.id, max: 2 });
  expect(entries.map(({ id }) => id)).toEqual([2 ** 32 + 10, 2 ** 32 + 11]);
});

describe('GET /api/events', () => {
  interface PageBody {
    data: { record: { id: number } | null }[];
    meta: { next: string };
  }

  const EVENTS = '/api/events';
  const read = async (after = 'oldest') => (await account.client.get(`${EVENTS}?limit=1000&after=${after}`).expect(200)).body as PageBody;

  if (onMysql) {
    test('events of a transaction that commits late are not skipped', async () => {
      const slow = await connectTo(database().env.DATABASE_URL);
      await slow.beginTransaction();
      const insert =
        "INSERT INTO events (datetime, account_id, action, record, record_id) VALUES ('2026-11-21 14:05:09', ?, 'create', 'domain', ?)";
      await slow.query(insert, [account.id, 4_711]); // a lower id than the later entries
      const later = [await addDomain(), await addDomain()];
      const { data, meta } = await read();
      expect(data.map(({ record }) => record?.id)).toEqual(later);
      await slow.commit();
      await slow.end();
      expect((await read(meta.next)).data.map(({ record }) => record?.id)).toEqual([4_711]);
    });
  }

  test('concurrent numbering by two processes neither loses nor repeats events', async () => {
    await withApplication(database().env, async (other) => {
      const writes = Array.from({ length: 30 }, () => addDomain());
      const numbering = Array.from({ length: 30 }, (_, at) => (at % 2 ? numbers() : other.app.get(EventNumbers)).numberEvents());
      const ids = await Promise.all(writes);
      await Promise.all(numbering);
      const shown = (await read()).data.map(({ record }) => record!.id);
      expect(shown.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
    });
  });

  test('after EVENTS_KEEP_DAYS, events remain only in the audit, and earlier cursors expire', async () => {
    const { meta } = await read('latest');
    const host = newHost();
    const id = await account.client.create(DOMAINS, { host });
    expect(await runCommand(database().env, ['domains', 'verify', String(id)])).toMatchObject({ code: 0 });
    await account.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(200); // unverified: not in the audit
    await numbers().numberEvents();
    const clock = holdClock(application());
    clock.move(3 * DAY);
    await application().app.get(AuditLog).expire();
    expect((await read()).data).toEqual([]);
    expectErrors(await account.client.get(`${EVENTS}?after=${meta.next}`), { code: 'cursor_expired', source: 'query.after' });
    const left = (await application().rows('events')).filter((row) => row.record === 'domain' && row.record_id === id);
    expect(left.map(({ action }) => action)).toEqual(['create', 'verify', 'update']);
    const later = await addDomain();
    expect((await read()).data.map(({ record }) => record?.id)).toEqual([later]);
  });
});

describe('audit prune', () => {
  const OLD = '2020-01-01 00:00:00';
  const log = () => application().app.get(AuditLog);
  const entries = () => application().app.get(AuditLog).find({ max: 999_999 });

  /** Inserts old entries, with newer ones in between, as several processes write them. */
  async function insertOld(count: number): Promise<void> {
    const { dataSource } = application();
    const row = (at: number) => `('${at % 4_000 === 1 ? '2021-01-01 00:00:00' : OLD}', ${account.id}, 'create', 'domain')`;
    for (let start = 0; start < count; start += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, at) => row(start + at));
      await dataSource.query(`INSERT INTO events (datetime, account_id, action, record) VALUES ${rows.join(', ')}`);
    }
  }

  test('audit prune deletes only older entries and audits itself', async () => {
    const before = await entries();
    await insertOld(12_000);
    expect(await log().prune('2020-06-01')).toBe(12_000 - 3);
    const after = await entries();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(
      after.slice(before.length).map(({ datetime, action, record, account_id }) => [datetime.slice(0, 4), action, record, account_id]),
    ).toEqual([
      ...Array<unknown>(3).fill(['2021', 'create', 'domain', account.id]),
      [String(new Date().getUTCFullYear()), 'prune', 'audit', 0],
    ]);
  });

  test('audit prune is not audited when there is nothing to delete', async () => {
    expect(await traceOf(() => log().prune('2019-01-01'))).toEqual([]);
  });

  test('audit prune keeps entries that the feed still shows, even with a time in the future', async () => {
    const id = await addDomain();
    const left = async () => (await entries()).map(({ action, record, record_id }) => [action, record, record_id]);
    await insertOld(1_000);
    expect(await log().prune('2999-01-01')).toBeGreaterThanOrEqual(1_000);
    expect((await left()).slice(-2)).toEqual([
      ['create', 'domain', id],
      ['prune', 'audit', null],
    ]);
    await numbers().numberEvents();
    holdClock(application()).move(3 * DAY);
    await log().prune('2999-01-01');
    expect((await left()).map(([, , record]) => record)).not.toContain(id);
  });
});
