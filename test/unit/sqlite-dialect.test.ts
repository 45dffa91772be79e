import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { SqliteDialect } from '../../src/database/sqlite.dialect';
import { Transactions, UniqueViolation } from '../../src/database/transactions';

let folder: string;
let dataSource: DataSource;
let transactions: Transactions;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'frontdesk-test-'));
  const dialect = new SqliteDialect(join(folder, 'made', 'on', 'the', 'way.sqlite'));
  dataSource = await dialect.createDataSource(dialect.connection).initialize();
  await dataSource.query('CREATE TABLE notes (text PRIMARY KEY)');
  transactions = new Transactions(dataSource, dialect);
});

afterEach(async () => {
  await dataSource.destroy();
  rmSync(folder, { recursive: true });
});

const add = (manager: EntityManager, text: string) => manager.query('INSERT INTO notes VALUES (?)', [text]);
const notes = async () => (await dataSource.query<{ text: string }[]>('SELECT text FROM notes ORDER BY rowid')).map(({ text }) => text);

test('every commit is on the disk, in a write-ahead log', async () => {
  expect(await dataSource.query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  expect(await dataSource.query('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
  expect(await dataSource.query('PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }]);
});

test('transactions take turns, in the order in which they came', async () => {
  const works = ['a', 'b', 'c'].map((name) => async (manager: EntityManager) => {
    await add(manager, `${name}1`);
    await nextTurn();
    await add(manager, `${name}2`);
  });
  await Promise.all(works.map((work) => transactions.run(work)));
  expect(await notes()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2']);
});

test('one that fails loses its own rows and nobody else’s', async () => {
  const failing = transactions.run(async (manager) => {
    await add(manager, 'lost');
    await nextTurn();
    throw new Error('no');
  });
  const kept = transactions.run((manager) => add(manager, 'kept'));
  await expect(failing).rejects.toThrow('no');
  await kept;
  expect(await notes()).toEqual(['kept']);
});

test('a transaction gives what its work gives', async () => {
  expect(await transactions.run(() => Promise.resolve(7))).toBe(7);
});

test('a row that is there already is told from every other error', async () => {
  await transactions.run((manager) => add(manager, 'once'));
  await expect(transactions.run((manager) => add(manager, 'once'))).rejects.toThrow(UniqueViolation);
  await expect(transactions.run((manager) => manager.query('INSERT INTO nowhere VALUES (1)'))).rejects.not.toThrow(UniqueViolation);
});
