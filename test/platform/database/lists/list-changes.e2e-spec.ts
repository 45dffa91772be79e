/** @mysql always */
import { DataSource } from 'typeorm';
import { Domain } from '../../../../src/domains/domain.entity';
import { type TestAccount, useApplication } from '../../../support/http/application';
import { stopClock } from '../../../support/jest/clock';
import { DOMAINS, newHost, insertDomains } from '../../../support/areas/records';

const { application } = useApplication();
/** Large enough to be remembered. */
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

/** With the clock stopped, nothing that is remembered is checked for its age. */
test.each<Write>([
  ['saves', () => domains().save(newDomain()), 1],
  ['saves many', () => domains().save(Array.from({ length: 5 }, () => newDomain())), 5],
  ['inserts', () => domains().insert([newDomain(), newDomain()]), 2],
  [
    'inserts in a transaction',
    () => application().dataSource.transaction((manager) => manager.insert(Domain, [newDomain(), newDomain()])),
    2,
  ],
  ['removes', async () => domains().remove(await domains().findOneByOrFail({ account_id: account.id })), -1],
  ['deletes', async () => domains().delete((await domains().findOneByOrFail({ account_id: account.id })).id), -1],
  [
    'deletes in a transaction',
    async () => {
      const { id } = await domains().findOneByOrFail({ account_id: account.id });
      await application().dataSource.transaction((manager) => manager.delete(Domain, { id }));
    },
    -1,
  ],
])('what a repository %s shows at once', async (_, write, added) => {
  stopClock();
  for (let round = 0; round < 2; round++) await expectTotals();
  await write();
  total += added;
  for (let round = 0; round < 2; round++) await expectTotals();
});

test.each<[string, (id: number, scheme: string) => Promise<unknown>]>([
  ['saves', async (id, scheme) => domains().save({ ...(await domains().findOneByOrFail({ id })), scheme })],
  ['saves in part', (id, scheme) => domains().save({ id, scheme })],
  ['updates', (id, scheme) => domains().update(id, { scheme })],
  ['updates by a query builder', (id, scheme) => domains().createQueryBuilder().update().set({ scheme }).where({ id }).execute()],
])('a change that a repository %s shows at once in what a filter lets pass', async (_, change) => {
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

test('a transaction that is rolled back counts nothing', async () => {
  stopClock();
  await expectTotals();
  const failing = application().dataSource.transaction(async (manager) => {
    await manager.insert(Domain, newDomain());
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  await expectTotals();
});

test('the total of a large list is read, not counted, after writes of the account', async () => {
  stopClock();
  await expectTotals();
  const states = await application().dataSource.query<Record<string, unknown>[]>(
    `SELECT SUM(inserted) AS inserted, SUM(deleted) AS deleted FROM list_changes WHERE list = 'domains' AND account_id = ${account.id}`,
  );
  const id = await account.client.create(DOMAINS, { host: newHost() });
  await account.client.delete(`${DOMAINS}/${id}`).expect(200);
  await expectTotals();
  const after = await application().dataSource.query<Record<string, unknown>[]>(
    `SELECT SUM(inserted) AS inserted, SUM(deleted) AS deleted FROM list_changes WHERE list = 'domains' AND account_id = ${account.id}`,
  );
  const difference = (name: string) => Number(after[0][name]) - Number(states[0][name]);
  expect([difference('inserted'), difference('deleted')]).toEqual([1, 1]);
});
