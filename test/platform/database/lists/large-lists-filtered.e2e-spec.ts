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
/** Of all records: newer ones have a condition on their ids. */
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

/** Reads the list until no request compares all its records with the filter. */
async function expectRemembered(total: number): Promise<void> {
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  let rounds = 0;
  for (let isCounted = true; isCounted && rounds < MAX_ROUNDS; rounds++) {
    reads.mockClear();
    await readFiltered(total);
    isCounted = reads.mock.calls.some(([sql]) => COUNTS_FILTERED.test(sql));
  }
  expect(rounds).toBeLessThan(MAX_ROUNDS);
}

test('a filter’s count is reused while the list is unchanged', async () => {
  await expectRemembered(0);
});

test('it is again soon after a deletion', async () => {
  const id = await account.client.create(DOMAINS, { host: `${account.id}.filtered.${newHost()}` });
  await expectRemembered(1);
  await account.client.delete(`${DOMAINS}/${id}`).expect(200);
  await expectRemembered(0);
});

test('totals by verification status follow it at once, whoever changes it', async () => {
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

/** Reads again and again, each time after a pause, until no request counts; on MySQL some seconds after the last write. */
async function expectRememberedOverPauses(client: Client, query: string, counts: RegExp): Promise<void> {
  const clock = stopClock();
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  const isCounted = async () => {
    reads.mockClear();
    clock.move(6_000);
    await client.get(`${DOMAINS}?${query}`).expect(200);
    await Promise.all(reads.mock.results.map(({ value }) => value as unknown)); // a count in the background would be shared by the next request
    return reads.mock.calls.some(([sql]) => counts.test(sql));
  };
  await until(isCounted, (counted) => !counted);
  reads.mockRestore();
}

test.each([
  ['a filter', 'host=nowhere', COUNTS_FILTERED],
  ['the first page', 'page=1', COUNTS_ALL],
  ['a page by descending id', 'sort=desc', COUNTS_ALL],
])('who asks for %s now and then has nothing counted while nobody writes to the table', async (_, query, counts) => {
  const { id, client } = await application().createAccount();
  await insertDomains(application(), id, 4_000);
  await expectRememberedOverPauses(client, query, counts);
});

test('a record that was updated in the future, by an import, doesn’t have a filter counted each time', async () => {
  const { id, client } = await application().createAccount();
  await insertDomains(application(), id, 4_000);
  await application().dataSource.query(`UPDATE domains SET last_datetime = '2099-01-01 00:00:00' WHERE host = ?`, [await hostOf(client)]);
  await expectRememberedOverPauses(client, 'host=nowhere', COUNTS_FILTERED);
});

test('an update shows at once in what a filter lets pass', async () => {
  const renamed = `${account.id}-renamed-${newHost()}`;
  await expectRemembered(0);
  const id = await account.client.create(DOMAINS, { host: newHost() });
  await readFiltered(0);
  await account.client.post(`${DOMAINS}/${id}`, { host: `${account.id}.filtered.${renamed}` }).expect(200);
  await readFiltered(1);
  await account.client.post(`${DOMAINS}/${id}`, { host: renamed }).expect(200);
  await readFiltered(0);
  await account.client.delete(`${DOMAINS}/${id}`).expect(200);
});

test('a record that is created while a filter is counted is in the next total', async () => {
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
  await pause(100); // until it has asked for the count that runs
  release();
  expect(await Promise.all([first, second])).toEqual([0, 1]);
});

test('a record that is deleted while a page by descending id is read leaves no gap', async () => {
  const { id, client } = await application().createAccount();
  await insertDomains(application(), id, 4_000);
  await expectRememberedOverPauses(client, 'sort=desc', COUNTS_ALL);
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

async function hostOf(client: Client): Promise<string> {
  return ((await client.get(DOMAINS).expect(200)).body as { data: { host: string }[] }).data[0].host;
}

test('a count that is five minutes old is made anew in the background', async () => {
  const { id, client } = await application().createAccount();
  await insertDomains(application(), id, 4_000);
  await expectRememberedOverPauses(client, 'page=1', COUNTS_ALL);
  const clock = stopClock();
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  clock.move(301_000);
  await client.get(DOMAINS).expect(200);
  await until(
    () => reads.mock.calls.some(([sql]) => COUNTS_ALL.test(sql)),
    (isCounted) => isCounted,
  );
});
