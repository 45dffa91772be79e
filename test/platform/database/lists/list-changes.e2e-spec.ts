/** @mysql always */
import { DataSource } from 'typeorm';
import { Domain } from '../../../../src/domains/domain.entity';
import { type TestAccount, useApplication } from '../../../support/http/application';
import { stopClock } from '../../../support/jest/clock';
import { DOMAINS, newHost, insertDomains } from '../../../support/areas/records';

const { application } = useApplication();
/** Large enough to have its counts cached. */
const MANY = 2_400;
let account: TestAccount;
let total = MANY;

beforeAll(async () => {
  account = await application().createAccount();
  await insertDomains(application(), account.id, MANY);
});

const newDomain = () => Object.assign(new Domain(), { account_id: account.id, host: newHost(), datetime: '2026-01-02 00:00:00' });
const domains = () => application().app.get(DataSource).getRepository(Domain);

async function totalOf(query: string): Promise<number> {
  const { body } = await account.client.get(`${DOMAINS}?${query}`).expect(200);
  return (body as { meta: { total: number } }).meta.total;
}

async function expectTotals(): Promise<void> {
  for (const query of ['', 'sort=desc&page=90', 'page=90', 'scheme=https://', 'orderby=host&page=2']) {
    expect([query, await totalOf(query)]).toEqual([query, total]);
  }
}

type Write = [name: string, write: () => Promise<unknown>, added: number];

/** While the clock is stopped, no cached count expires. */
test.each<Write>([
  ['save()', () => domains().save(newDomain()), 1],
  ['save() of five records', () => domains().save(Array.from({ length: 5 }, () => newDomain())), 5],
  ['insert()', () => domains().insert([newDomain(), newDomain()]), 2],
  [
    'insert() in a transaction',
    () => application().dataSource.transaction((manager) => manager.insert(Domain, [newDomain(), newDomain()])),
    2,
  ],
  ['remove()', async () => domains().remove(await domains().findOneByOrFail({ account_id: account.id })), -1],
  ['delete()', async () => domains().delete((await domains().findOneByOrFail({ account_id: account.id })).id), -1],
  [
    'delete() in a transaction',
    async () => {
      const { id } = await domains().findOneByOrFail({ account_id: account.id });
      await application().dataSource.transaction((manager) => manager.delete(Domain, { id }));
    },
    -1,
  ],
])('totals are current right after a repository’s %s', async (_, write, added) => {
  stopClock();
  for (let round = 0; round < 2; round++) await expectTotals();
  await write();
  total += added;
  for (let round = 0; round < 2; round++) await expectTotals();
});

test.each<[string, (id: number, scheme: string) => Promise<unknown>]>([
  ['save()', async (id, scheme) => domains().save({ ...(await domains().findOneByOrFail({ id })), scheme })],
  ['save() of some columns', (id, scheme) => domains().save({ id, scheme })],
  ['update()', (id, scheme) => domains().update(id, { scheme })],
  ['query builder', (id, scheme) => domains().createQueryBuilder().update().set({ scheme }).where({ id }).execute()],
])('a filtered list is current right after an update by a repository’s %s', async (_, change) => {
  stopClock();
  const { id } = await domains().findOneByOrFail({ account_id: account.id });
  for (const [scheme, expected] of [
    ['http://', 1],
    ['https://', 0],
  ] as const) {
    for (let round = 0; round < 2; round++) expect(await totalOf('scheme=http://')).toBe(1 - expected);
    await change(id, scheme);
    expect(await totalOf('scheme=http://')).toBe(expected);
  }
});

test('a rolled-back transaction leaves the totals unchanged', async () => {
  stopClock();
  await expectTotals();
  const failing = application().dataSource.transaction(async (manager) => {
    await manager.insert(Domain, newDomain());
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  await expectTotals();
});
