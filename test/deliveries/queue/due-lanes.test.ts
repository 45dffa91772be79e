// Runs on SQLite and MySQL.
import Libsql from 'libsql';
import { DeliveryLane } from '../../../src/deliveries/queue/lane';
import { LaneTable } from '../../../src/deliveries/queue/lane';
import { Slots } from '../../../src/deliveries/queue/slots';
import { Account } from '../../../src/auth/accounts/account.entity';
import { Dialect } from '../../../src/platform/database/dialect';
import { useApplication } from '../../support/application';
import { insertRows } from '../../support/insert-rows';
import { onMysql } from '../../support/database';

const NOW = Date.UTC(2026, 10, 23);
const MANY = 20_000;
const SLOTS = 256;
/** What a choice may read, with 20,000 lanes due. */
const MAX_ROWS = 3_000;

const { application } = useApplication({ DELIVERY_CONCURRENCY: '0' });
let loud: number;
let quiet: number;

beforeEach(async () => {
  const { dataSource } = application();
  await dataSource.query('DELETE FROM delivery_lanes');
  loud = (await application().createAccount()).id;
  quiet = (await application().createAccount()).id;
});

/** Lanes that became due one after another. */
async function insertLanes(accountId: number, count: number, given: Partial<DeliveryLane> = {}): Promise<void> {
  const lanes = Array.from({ length: count }, (_, index) => ({
    ...{ account_id: accountId, lane: `webhook:${accountId}-${index}`, available: NOW - MANY + index, paused_until: 0 },
    ...{ is_slow: 0, last_ms: 5, last_claim: NOW - MANY, ...given },
  }));
  await insertRows(application().dataSource, DeliveryLane, lanes);
}

const find = (slots = new Slots(SLOTS)) => application().app.get(LaneTable).findDue(slots, NOW);
const isQuietFound = async (slots?: Slots) => (await find(slots)).lanes.some(({ accountId }) => accountId === quiet);

/** Rows that the database read to choose, on MySQL as its own counters say, on SQLite as its plans and the rows returned do. */
async function rowsReadBy(work: () => Promise<unknown>): Promise<number> {
  const dialect = application().app.get(Dialect);
  const read = jest.spyOn(dialect, 'read');
  await work();
  const statements = read.mock.calls.map(([sql, values]) => ({ sql, values: [...values] }));
  const returned = (await Promise.all(read.mock.results.map(({ value }) => value as Promise<unknown[]>))).flat().length;
  read.mockRestore();
  expect(statements.length).toBeLessThanOrEqual(6);
  if (!onMysql) {
    const own = new Libsql(String(application().dataSource.options.database)); // EXPLAIN leaves a snapshot open on its connection
    for (const { sql, values } of statements) {
      const plan = own.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[];
      expect(plan.filter(({ detail }) => /TEMP B-TREE|SCAN delivery_lanes/.test(detail))).toEqual([]);
    }
    own.close();
    return returned;
  }
  return dialect.statementTransaction(async (connection) => {
    const counted = async () => {
      const rows = await connection.read("SHOW SESSION STATUS LIKE 'Handler_read%'", []);
      return rows.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await counted();
    for (const { sql, values } of statements) await connection.read(sql, values);
    return (await counted()) - before;
  });
}

test('a choice reads a bounded number of rows, however much is due', async () => {
  await insertLanes(loud, MANY);
  await insertLanes(quiet, 1, { available: NOW });
  expect(await rowsReadBy(() => find())).toBeLessThan(MAX_ROWS);
});

test('another account’s lane is found beside one account’s twenty thousand', async () => {
  await insertLanes(loud, MANY);
  await insertLanes(quiet, 1, { available: NOW });
  expect(await isQuietFound()).toBe(true);
});

test('accounts with the fewest slots come first', async () => {
  await insertLanes(loud, 10);
  await insertLanes(quiet, 1, { available: NOW });
  const slots = new Slots(SLOTS);
  slots.take(loud, 'fast');
  expect((await find(slots)).lanes[0].accountId).toBe(quiet);
});

test('every account is reached, however many there are', async () => {
  const { dataSource } = application();
  const names = Array.from({ length: 2_500 }, (_, index) => ({ name: `many ${index}`, datetime: '2026-11-23 00:00:00' }));
  await insertRows(dataSource, Account, names);
  quiet = (await application().createAccount()).id;
  await insertLanes(loud, 300);
  await insertLanes(quiet, 1, { available: NOW });
  const found = [await isQuietFound(), await isQuietFound(), await isQuietFound()];
  expect(found.filter(Boolean)).toHaveLength(1);
});

test('slow lanes that find no slot hide no other', async () => {
  await insertLanes(loud, 300, { is_slow: true, last_ms: 10_000 });
  await insertLanes(quiet, 1, { available: NOW });
  const slots = new Slots(SLOTS);
  for (let account = 1_000_000; slots.hasRoomForSlow; account++) slots.take(account, 'slow');
  const { lanes } = await find(slots);
  expect(lanes.map(({ accountId }) => accountId)).toEqual([quiet]);
});
