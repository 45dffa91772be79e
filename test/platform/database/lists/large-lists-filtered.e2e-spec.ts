/** @mysql whole */
import { setTimeout as pause } from 'node:timers/promises';
import { Dialect } from '../../../../src/platform/database/dialect';
import { type TestAccount, useApplication } from '../../../support/http/application';
import type { Client } from '../../../support/http/client';
import { stopClock, until } from '../../../support/jest/clock';
import { runCommand } from '../../../support/areas/command';
import { DOMAINS, newHost, insertDomains } from '../../../support/areas/records';

const { application, database } = useApplication({ DOMAIN_CHECKS: 'off' });
const MAX_ROUNDS = 50;
/** Counts of all records; a count of newer ones has a condition on the id. */
const COUNTS_FILTERED = /COUNT\(\*\).* WHERE account_id = \? AND INSTR/;
const COUNTS_ALL = /COUNT\(\*\) FROM domains WHERE account_id = \?\)|^SELECT COUNT\(\*\), MAX\(id\)/;
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
  await insertDomains(application(), account.id, 4_000);
});

async function readFiltered(total: number): Promise<void> {
  const { body } = await account.client.get(`${DOMAINS}?host=${account.id}.filtered`).expect(200);
  expect((body as { meta: { total: number } }).meta.total).toBe(total);
}

/** Reads the list until a request no longer counts it. */
async function expectCached(total: number): Promise<void> {
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  let rounds = 0;
  for (let isCounted = true; isCounted && rounds < MAX_ROUNDS; rounds++) {
    reads.mockClear();
    await readFiltered(total);
    isCounted = reads.mock.calls.some(([sql]) => COUNTS_FILTERED.test(sql));
  }
  expect(rounds).toBeLessThan(MAX_ROUNDS);
}

test('the count of a filtered list is cached again soon after a deletion', async () => {
  const id = await account.client.create(DOMAINS, { host: `${account.id}.filtered.${newHost()}` });
  await expectCached(1);
  await account.client.delete(`${DOMAINS}/${id}`).expect(200);
  await expectCached(0);
});

test('totals by verification status are current right after a command or a request changes it', async () => {
  const { id: account_id, client } = await application().createAccount();
  await insertDomains(application(), account_id, 4_000);
  const [changed, renamed] = [await client.create(DOMAINS, { host: newHost() }), await client.create(DOMAINS, { host: newHost() })];
  const expectTotals = async (expected: Record<string, number>) => {
    for (const [status, total] of Object.entries(expected)) {
      const { body } = await client.get(`${DOMAINS}?verification_status=${status}&results_per_page=10`).expect(200);
      const { data, meta } = body as { data: { id: number }[]; meta: { total: number } };
      expect([status, meta.total, data.length]).toEqual([status, total, Math.min(total, 10)]);
    }
  };
  const run = async (verb: string, id: number) => expect((await runCommand(database().env, ['domains', verb, String(id)])).code).toBe(0);
  await expectTotals({ pending: 4_002, verified: 0, failed: 0 });
  for (const id of [changed, renamed]) await run('verify', id);
  await expectTotals({ pending: 4_000, verified: 2, failed: 0 });
  await run('unverify', changed);
  await expectTotals({ pending: 4_001, verified: 1, failed: 0 });
  await client.post(`${DOMAINS}/${renamed}`, { host: newHost() }).expect(200);
  await expectTotals({ pending: 4_002, verified: 0, failed: 0 });
});

/** Reads with six seconds between requests until one no longer counts: on MySQL, some seconds after the last write. */
async function expectCachedOverPauses(client: Client, query: string, counts: RegExp): Promise<void> {
  const clock = stopClock();
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  const isCounted = async () => {
    reads.mockClear();
    clock.move(6_000);
    await client.get(`${DOMAINS}?${query}`).expect(200);
    await Promise.all(reads.mock.results.map(({ value }) => value as unknown)); // the next request would share a background count
    return reads.mock.calls.some(([sql]) => counts.test(sql));
  };
  await until(isCounted, (counted) => !counted);
  reads.mockRestore();
}

test.each([
  ['host=nowhere', COUNTS_FILTERED],
  ['page=1', COUNTS_ALL],
  ['page=150', COUNTS_ALL],
  ['sort=desc', COUNTS_ALL],
])('occasional reads of ?%s are not counted while nobody writes to the table', async (query, counts) => {
  const { id, client } = await application().createAccount();
  await insertDomains(application(), id, 4_000);
  await expectCachedOverPauses(client, query, counts);
});

test('the count of a filtered list is cached despite a record with an update time in the future', async () => {
  const { id, client } = await application().createAccount();
  await insertDomains(application(), id, 4_000);
  const { body } = await client.get(DOMAINS).expect(200);
  const [{ host }] = (body as { data: { host: string }[] }).data;
  await application().dataSource.query(`UPDATE domains SET last_datetime = '2099-01-01 00:00:00' WHERE host = ?`, [host]);
  await expectCachedOverPauses(client, 'host=nowhere', COUNTS_FILTERED);
});

test('a filtered list is current right after an update', async () => {
  const renamed = `${account.id}-renamed-${newHost()}`;
  await expectCached(0);
  const id = await account.client.create(DOMAINS, { host: newHost() });
  await readFiltered(0);
  await account.client.post(`${DOMAINS}/${id}`, { host: `${account.id}.filtered.${renamed}` }).expect(200);
  await readFiltered(1);
  await account.client.post(`${DOMAINS}/${id}`, { host: renamed }).expect(200);
  await readFiltered(0);
  await account.client.delete(`${DOMAINS}/${id}`).expect(200);
});

test('a record created while a filtered list is counted is in the next total', async () => {
  const dialect = application().app.get(Dialect);
  const read = dialect.read.bind(dialect);
  let release = (): void => undefined;
  const isCounting = new Promise<void>((counting) => {
    const released = new Promise<void>((resolve) => (release = resolve));
    jest.spyOn(dialect, 'read').mockImplementation(async (sql, values) => {
      const rows = await read(sql, values);
      if (!COUNTS_FILTERED.test(sql)) return rows;
      counting();
      await released;
      return rows;
    });
  });
  const host = newHost();
  const total = async () =>
    ((await account.client.get(`${DOMAINS}?host=${host}`).expect(200)).body as { meta: { total: number } }).meta.total;
  const first = total();
  await isCounting;
  await account.client.create(DOMAINS, { host });
  const second = total();
  await pause(100); // until it has joined the running count
  release();
  expect(await Promise.all([first, second])).toEqual([0, 1]);
});

test('a deletion during the read of a page by descending id leaves no gap', async () => {
  const { id, client } = await application().createAccount();
  await insertDomains(application(), id, 4_000);
  await expectCachedOverPauses(client, 'sort=desc', COUNTS_ALL);
  const dialect = application().app.get(Dialect);
  const read = dialect.read.bind(dialect);
  let isDeleted = false;
  jest.spyOn(dialect, 'read').mockImplementation(async (sql, values) => {
    const rows = await read(sql, values);
    if (!isDeleted && sql.startsWith('SELECT (SELECT COUNT(*) FROM domains')) {
      isDeleted = true;
      await client.delete(`${DOMAINS}/${await newestOf(id)}`).expect(200);
    }
    return rows;
  });
  const { body } = await client.get(`${DOMAINS}?sort=desc&page=100`).expect(200);
  const { data, meta } = body as { data: { id: number }[]; meta: { total: number } };
  const newest = await newestOf(id);
  expect([isDeleted, data.length, meta.total]).toEqual([true, 25, 3_999]);
  expect(data.map((record) => newest - record.id)).toEqual(Array.from({ length: 25 }, (_, index) => 2_475 + index));
});

async function newestOf(accountId: number): Promise<number> {
  const [{ id }] = await application().dataSource.query<{ id: number }[]>(
    `SELECT MAX(id) AS id FROM domains WHERE account_id = ${accountId}`,
  );
  return id;
}

test('a cached count that is five minutes old is refreshed in the background', async () => {
  const { id, client } = await application().createAccount();
  await insertDomains(application(), id, 4_000);
  await expectCachedOverPauses(client, 'page=1', COUNTS_ALL);
  const clock = stopClock();
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  clock.move(301_000);
  await client.get(DOMAINS).expect(200);
  await until(() => reads.mock.calls.some(([sql]) => COUNTS_ALL.test(sql)));
});
