/** @mysql always */
import { Dialect } from '../../../../src/platform/database/dialect';
import { Domain } from '../../../../src/domains/domain.entity';
import { type TestAccount, useApplication, withApplication } from '../../../support/http/application';
import { untilServed } from '../../../support/http/client';
import { stopClock, until } from '../../../support/jest/clock';
import { DOMAINS, newHost, insertDomains } from '../../../support/areas/records';
import { insertRows } from '../../../support/areas/insert-rows';
import { sample, sized } from '../../../support/jest/size';

const { application, database } = useApplication();
/** Large enough to have its pages cached. */
const MANY = 10_400;
let account: TestAccount;
let ids: number[];

interface Envelope {
  data: { id: number; host: string }[];
  meta: { page: number; results_per_page: number; total: number; total_pages: number };
}

beforeAll(async () => {
  account = await application().createAccount();
  const other = await application().createAccount();
  const { dataSource } = application();
  const common = { scheme: 'https://', custom_index_url: '', custom_not_found_url: '', is_enabled: true, datetime: '2026-11-21 10:00:00' };
  const rows = Array.from({ length: MANY + Math.ceil(MANY / 39) }, (_, n) => ({
    ...common,
    host: `h${n}.example.com`,
    account_id: n % 40 === 39 ? other.id : account.id,
  }));
  await insertRows(dataSource, Domain, rows);
  // Otherwise the next application on this database creates them at its start, one by one.
  await dataSource.query(`INSERT INTO domain_verifications (account_id, domain_id, host, status, is_by_operator, started, checks, due, misses, problems)
    SELECT account_id, id, host, 'pending', 0, 0, 0, NULL, 0, '[]' FROM domains`);
  const listed = await dataSource.query<{ id: number }[]>(`SELECT id FROM domains WHERE account_id = ${account.id} ORDER BY id`);
  ids = listed.map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(10_000);
});

/** Whether a statement reads a page of a walked order. */
const isWalked = ([sql]: Parameters<Dialect['read']>) => sql.includes('FROM domains WHERE id IN');

async function page(number: number, size = 25): Promise<Envelope> {
  const response = await untilServed(() => account.client.get(`${DOMAINS}?page=${number}&results_per_page=${size}`));
  expect(response.status).toBe(200);
  return response.body as Envelope;
}

async function expectPage(number: number, size = 25): Promise<void> {
  const { data, meta } = await page(number, size);
  expect([number, size, data.map(({ id }) => id)]).toEqual([number, size, ids.slice((number - 1) * size, number * size)]);
  expect(meta).toEqual({ page: number, results_per_page: size, total: ids.length, total_pages: Math.ceil(ids.length / size) });
}

test('pages are correct in any order of requests', async () => {
  const pages = [1, 209, 3, 416, 415, 1, 210, 208, 300, 209, 417, 5_000, 416];
  for (const number of pages) await expectPage(number);
  for (const number of [11, 10, 1, 6, 12]) await expectPage(number, 1000);
});

test('the total and every page are current right after the account’s own writes', async () => {
  for (const number of [1, 209, 416]) await expectPage(number);
  ids.push(await account.client.create(DOMAINS, { host: newHost() }));
  await expectPage(Math.ceil(ids.length / 25));
  for (const index of [ids.length - 1, 5_210, 5_209, 0]) {
    await account.client.delete(`${DOMAINS}/${ids[index]}`).expect(200);
    ids.splice(index, 1);
    for (const number of [209, 1, Math.ceil(ids.length / 25), 210]) await expectPage(number);
    for (const number of [1, 21, Math.ceil(ids.length / 250)]) await expectPage(number, 250); // counted in another way
  }
});

test.each([
  ['sort=desc', () => [...ids].reverse()],
  ['orderby=datetime&sort=desc', () => [...ids].reverse()],
])('every page is correct with ?%s', async (query, all) => {
  for (const number of [1, 209, 2, 416, 5_000, Math.ceil(ids.length / 25)]) {
    const { body } = (await account.client.get(`${DOMAINS}?${query}&page=${number}`).expect(200)) as { body: Envelope };
    expect([number, body.data.map(({ id }) => id)]).toEqual([number, all().slice((number - 1) * 25, number * 25)]);
    expect(body.meta.total).toBe(ids.length);
  }
});

test('pages sorted by a text are current right after every write, before and after the order is walked', async () => {
  const hosts = new Map((await hostsOf()).map(({ id, host }) => [id, host]));
  const path = (number: number) => `${DOMAINS}?orderby=host&sort=desc&page=${number}`;
  const expectAll = async () => {
    const wanted = [...hosts].sort(([, one], [, other]) => (one < other ? 1 : -1)).map(([id]) => id);
    for (const number of [1, 209, 300, Math.ceil(wanted.length / 25)]) {
      const { data, meta } = (await account.client.get(path(number)).expect(200)).body as Envelope;
      expect([number, data.map(({ id }) => id), meta.total]).toEqual([number, wanted.slice((number - 1) * 25, number * 25), wanted.length]);
    }
  };
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  await expectAll();
  for (let round = 0; round < 50 && !reads.mock.calls.some(isWalked); round++) await expectAll(); // it isn't while updates are recent
  const host = `h5.${newHost()}`;
  const id = await account.client.create(DOMAINS, { host });
  hosts.set(id, host);
  await expectAll();
  await account.client.post(`${DOMAINS}/${id}`, { host: `a${host}` }).expect(200);
  hosts.set(id, `a${host}`);
  await expectAll();
  await account.client.delete(`${DOMAINS}/${id}`).expect(200);
  hosts.delete(id);
  await expectAll();
});

function hostsOf(): Promise<{ id: number; host: string }[]> {
  return application().dataSource.query(`SELECT id, host FROM domains WHERE account_id = ${account.id}`);
}

const SHARES = [
  ['no record', () => false],
  ['few records', (index: number) => index % 20 === 0],
  ['most records', (index: number) => index % 20 > 0],
  ['every record', () => true],
] satisfies [string, (index: number) => boolean][];

test.each(sample(SHARES, 1))(
  'pages sorted by a column that is null in %s are correct before and after the order is walked',
  async (_, isNull) => {
    const { id, client } = await application().createAccount();
    const total = 5_200; // large enough to have its orders walked
    await insertDomains(application(), id, total, isNull);
    const pages = [1, 2, 3, 11, 21, 31, 52];
    for (const sort of ['asc', 'desc']) {
      const order = `ORDER BY last_datetime ${sort}, id ${sort}`;
      const rows = await application().dataSource.query<{ id: number }[]>(`SELECT id FROM domains WHERE account_id = ${id} ${order}`);
      const wanted = rows.map((row) => row.id);
      const reads = jest.spyOn(application().app.get(Dialect), 'read');
      while (reads.mock.calls.filter(isWalked).length < pages.length) {
        reads.mockClear();
        for (const number of [...pages, 53]) {
          const path = `${DOMAINS}?orderby=last_datetime&sort=${sort}&results_per_page=100&page=${number}`;
          const { data, meta } = (await client.get(path).expect(200)).body as Envelope;
          expect([number, data.map((record) => record.id)]).toEqual([number, wanted.slice((number - 1) * 100, number * 100)]);
          expect(meta.total).toBe(total);
        }
      }
      reads.mockRestore();
    }
  },
);

test('the total is exact after concurrent writes and reads', async () => {
  const gone = ids.splice(100, 20);
  const work = gone.map(async (id, index) => {
    await page(300 + index);
    expect((await untilServed(() => account.client.delete(`${DOMAINS}/${id}`))).status).toBe(200);
    await page(20 * index + 1);
    return account.client.create(DOMAINS, { host: newHost() });
  });
  ids.push(...(await Promise.all(work)).sort((a, b) => a - b));
  for (const number of [1, 5, 209, Math.ceil(ids.length / 25)]) await expectPage(number);
});

test('lists are current right after deletions by another process of the service', async () => {
  await withApplication(database().env, async (other) => {
    for (const index of [5_000, 60]) {
      for (const number of [1, 209]) await expectPage(number);
      await other.client(account.key).delete(`${DOMAINS}/${ids[index]}`).expect(200);
      ids.splice(index, 1);
      for (const number of [209, 1, Math.ceil(ids.length / 25)]) await expectPage(number);
    }
  });
});

test('writes by other software are visible after a few seconds, on every page, in every order and filter', async () => {
  const clock = stopClock();
  const first = async (query: string) => {
    const { data, meta } = (await account.client.get(`${DOMAINS}?${query}`).expect(200)).body as Envelope;
    return [data[0]?.host, meta.total];
  };
  await expectPage(209);
  expect(await first('host=0.aaa')).toEqual([undefined, 0]);
  await first('orderby=host');
  const host = `0.aaa.${newHost()}`;
  await application().dataSource.query(`DELETE FROM domains WHERE id = ${ids[50]}`);
  await application().dataSource.query(`UPDATE domains SET host = '${host}' WHERE id = ${ids[60]}`);
  ids.splice(50, 1);
  clock.move(5_200);
  for (const number of [209, 1, 416]) await expectPage(number);
  expect(await first('host=0.aaa')).toEqual([host, 1]);
  expect(await first('orderby=host')).toEqual([host, ids.length]);
});

test('a list that has become small is correct on every page', async () => {
  const { id, client } = await application().createAccount();
  await insertDomains(application(), id, sized(2_400, 10_400));
  const { dataSource } = application();
  const all = await dataSource.query<{ id: number }[]>(`SELECT id FROM domains WHERE account_id = ${id} ORDER BY id`);
  const left = all.slice(0, 100).map((domain) => domain.id);
  const read = async (number: number) => (await client.get(`${DOMAINS}?page=${number}`).expect(200)).body as Envelope;
  for (const number of [1, 60]) expect((await read(number)).meta.total).toBe(all.length);
  const clock = stopClock();
  await dataSource.query(`DELETE FROM domains WHERE account_id = ${id} AND id > ${left[99]}`);
  clock.move(5_200);
  for (const number of [1, 4, 5, 4_000]) {
    const { data, meta } = await read(number);
    expect([number, meta.total, data.map((domain) => domain.id)]).toEqual([number, 100, left.slice((number - 1) * 25, number * 25)]);
  }
});

test('the last page is read from the end of the list, even after a deletion', async () => {
  const { id, client } = await application().createAccount();
  await insertDomains(application(), id, 2_430);
  const lastPage = async () => (await client.get(`${DOMAINS}?page=98`).expect(200)).body as Envelope;
  await until(lastPage, ({ meta }) => meta.total === 2_430);
  const { data } = await lastPage();
  const listed = (await client.get(`${DOMAINS}?page=1`).expect(200)).body as Envelope;
  await client.delete(`${DOMAINS}/${listed.data[0].id}`).expect(200);

  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  const after = await lastPage();
  expect([after.meta.total, after.data]).toEqual([2_429, data.slice(1)]);
  const skipped = reads.mock.calls.filter(([sql]) => sql.includes('LIMIT ? OFFSET ?')).map(([, values]) => values.at(-1));
  expect(skipped.length).toBeGreaterThan(0);
  expect(Math.max(...skipped.map(Number))).toBeLessThan(100);
});
