import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Libsql from 'libsql';
import { type DataSource, type EntityManager, Migration, type QueryRunner } from 'typeorm';
import { Clock } from '../../../../src/platform/common/clock';
import { SqliteDialect } from '../../../../src/platform/database/sqlite/sqlite.dialect';
import { type Transaction, UniqueViolation, WriteExecutor } from '../../../../src/platform/database/writes/transactions';

const clock = new Clock();
let folder: string;
let file: string;
let dialect: SqliteDialect;
let dataSource: DataSource;
let executor: WriteExecutor;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'frontdesk-test-'));
  file = join(folder, 'made', 'on', 'the', 'way.sqlite');
  dialect = new SqliteDialect(file, { timeoutMs: 50, idleMs: 60_000 });
  dataSource = await dialect.createDataSource(dialect.dataSourceOptions).initialize();
  await dataSource.query('CREATE TABLE notes (text PRIMARY KEY)');
  executor = new WriteExecutor(dataSource, dialect, clock);
});

afterEach(async () => {
  await dataSource.destroy();
  rmSync(folder, { recursive: true });
});

const add = (manager: EntityManager, text: string) => manager.query('INSERT INTO notes VALUES (?)', [text]);
const ALL_NOTES = { table: 'notes', accountId: null };
const notes = async () => (await dataSource.query<{ text: string }[]>('SELECT text FROM notes ORDER BY rowid')).map(({ text }) => text);

test('the database uses a write-ahead log, full synchronization and foreign keys', async () => {
  expect(await dataSource.query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  expect(await dataSource.query('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
  expect(await dataSource.query('PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }]);
});

test('transactions run one at a time, in the order of their start', async () => {
  const works = ['a', 'b', 'c'].map((name) => async (manager: EntityManager) => {
    await add(manager, `${name}1`);
    await nextTurn();
    await add(manager, `${name}2`);
  });
  await Promise.all(works.map((work) => executor.run(({ manager }) => work(manager))));
  expect(await notes()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2']);
});

test.each<[string, (transaction: Transaction, text: string) => Promise<unknown>]>([
  ['plain statements', (transaction, text) => transaction.write('INSERT INTO notes VALUES (?)', [text])],
  ['TypeORM statements', ({ manager }, text) => add(manager, text)],
])('a long transaction of %s yields to the event loop between them', async (_, write) => {
  const clock = jest.spyOn(performance, 'now');
  let now = 0;
  const order: string[] = [];
  await executor.run(async (transaction) => {
    for (const text of ['one', 'two', 'three']) {
      clock.mockReturnValue((now += 11));
      await write(transaction, text);
      order.push(text);
      setImmediate(() => order.push('other work'));
    }
  });
  expect(order).toEqual(['one', 'other work', 'two', 'other work', 'three']);
});

test.each<[string, string, isNoted: boolean]>([
  ['a read', 'SELECT * FROM notes', false],
  ['a write to another table', 'UPDATE others SET text = 1', false],
  ['an insert', 'INSERT INTO "notes"("text") VALUES (1)', true],
  ['an update', 'UPDATE "notes" SET "text" = "text"', true],
  ['an update behind a WITH clause', 'WITH some AS (SELECT 1) UPDATE notes SET text = 1', true],
  ['a deletion', 'DELETE FROM "notes"', true],
  ['a deletion from another table', 'DELETE FROM others', false],
])('%s by TypeORM changes the table’s change marker only if it writes to it', async (_, sql, isNoted) => {
  await dataSource.query('CREATE TABLE others (text)');
  const before = await dialect.changeMarker(['notes']);
  await executor.run(({ manager }) => manager.query(sql));
  expect((await dialect.changeMarker(['notes'])) !== before).toBe(isNoted);
});

test('a violated unique index throws UniqueViolation, other errors do not', async () => {
  await executor.run(({ manager }) => add(manager, 'once'));
  await expect(executor.run(({ manager }) => add(manager, 'once'))).rejects.toThrow(UniqueViolation);
  await expect(executor.run(({ manager }) => manager.query('INSERT INTO nowhere VALUES (1)'))).rejects.not.toThrow(UniqueViolation);
});

/** To SQLite, a second connection is the same as another process. */
async function withOtherProcess(work: (database: Libsql.Database) => Promise<void>): Promise<void> {
  const database = new Libsql(file);
  try {
    await work(database);
  } finally {
    database.close();
  }
}

test('uncommitted rows are visible inside their transaction only', async () => {
  await executor.run(async ({ manager }) => {
    await add(manager, 'mine');
    expect(await manager.query('SELECT text FROM notes')).toEqual([{ text: 'mine' }]);
    expect(await notes()).toEqual([]);
  });
  expect(await notes()).toEqual(['mine']);
});

test('a failed nested transaction does not roll back the outer one', async () => {
  await dataSource.transaction(async (manager) => {
    await add(manager, 'outer');
    const nested = manager.transaction(async (inner) => {
      await add(inner, 'inner');
      throw new Error('no');
    });
    await expect(nested).rejects.toThrow('no');
  });
  expect(await notes()).toEqual(['outer']);
});

test('a write beside the caller’s own open transaction times out with advice', async () => {
  const beside = executor.run(() => dataSource.query("INSERT INTO notes VALUES ('beside')"));
  await expect(beside).rejects.toThrow(/Inside a transaction, write only through its manager or query runner/);
  await expect(beside.catch((error: unknown) => dialect.isUnavailable(error))).resolves.toBe(true);
  await dataSource.query("INSERT INTO notes VALUES ('after')");
  expect(await notes()).toEqual(['after']);
});

test('BEGIN and SAVEPOINT statements are rejected', async () => {
  for (const statement of ['BEGIN', ' begin immediate', 'SAVEPOINT mine']) {
    await expect(dataSource.query(statement)).rejects.toThrow(/dataSource\.transaction/);
  }
  await expect(dataSource.query('/* so */ BEGIN')).rejects.toThrow();
  await add(dataSource.manager, 'kept');
  await withOtherProcess(async (other) => {
    expect(other.prepare('SELECT text FROM notes').all()).toEqual([{ text: 'kept' }]);
    return Promise.resolve();
  });
});

test('a single write waits for an open transaction, a read does not', async () => {
  const order: string[] = [];
  const [runner, write] = [dataSource.createQueryRunner(), "INSERT INTO notes VALUES ('single') RETURNING text"];
  await runner.startTransaction();
  const single = dataSource.query(write).then(() => order.push('write'));
  await notes().then(() => order.push('read'));
  await runner.commitTransaction();
  await single;
  expect(order).toEqual(['read', 'write']);
});

test.each(['WITH some AS (SELECT 1) SELECT * FROM some', 'PRAGMA user_version', 'VALUES (1)', '  select 1'])(
  '%s does not wait for an open transaction',
  async (statement) => {
    expect(await executor.run(() => dataSource.query<unknown>(statement))).toBeInstanceOf(Array);
  },
);

test('a query runner released in a transaction is rolled back and can’t be used again', async () => {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await add(runner.manager, 'forgotten');
  await runner.release();
  await expect(add(runner.manager, 'late')).rejects.toThrow(/released/);
  await expect(runner.startTransaction()).rejects.toThrow(/released/);
  await add(dataSource.manager, 'kept');
  expect(await notes()).toEqual(['kept']);
});

test('a query runner garbage-collected in a transaction is rolled back', async () => {
  const forget = async () => {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await add(runner.manager, 'forgotten');
  };
  await forget();
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  for (let isOver = false, tries = 0; !isOver && tries < 100; tries++) {
    await nextTurn();
    collectGarbage();
    isOver = await add(dataSource.manager, 'kept').then(
      () => true,
      () => false,
    );
  }
  expect(await notes()).toEqual(['kept']);
});

test('a transaction that is idle while others wait is rolled back', async () => {
  const impatient = new SqliteDialect(file, { timeoutMs: 20, idleMs: 0 });
  const source = await impatient.createDataSource(impatient.dataSourceOptions).initialize();
  const runner = source.createQueryRunner();
  await runner.startTransaction();
  await add(runner.manager, 'idle');
  await expect(add(source.manager, 'too soon')).rejects.toThrow();
  await add(source.manager, 'kept');
  await expect(add(runner.manager, 'late')).rejects.toThrow(/idle for/);
  await expect(runner.commitTransaction()).rejects.toThrow(/idle for/);
  await runner.rollbackTransaction();
  await runner.release();
  await source.destroy();
  expect(await notes()).toEqual(['kept']);
});

test('a statement after the end of its transaction is rejected', async () => {
  const late: (() => Promise<unknown>)[] = [];
  await executor.run(async (transaction) => {
    const { manager } = transaction;
    const connection = (await manager.queryRunner!.connect()) as Libsql.Database;
    const prepared = connection.prepare("INSERT INTO notes VALUES ('late')");
    late.push(() => transaction.write("INSERT INTO notes VALUES ('late')", []));
    late.push(() => add(manager, 'late'));
    late.push(() => Promise.resolve().then(() => prepared.run()));
  });
  await executor.run(async () => {
    for (const statement of late) await expect(statement()).rejects.toThrow(/over|released/);
  });
  expect(await notes()).toEqual([]);
});

test('a transaction can start during a long read, after a write by another process', async () => {
  await dataSource.query(
    'INSERT INTO notes WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT i FROM n',
  );
  const reading = dialect.readIntegers('SELECT a.rowid FROM notes a, notes b WHERE b.rowid < 100 LIMIT 500000', [], ALL_NOTES);
  await withOtherProcess((other) => Promise.resolve(void other.exec("INSERT INTO notes VALUES ('theirs')")));
  await executor.run(({ manager }) => add(manager, 'mine'));
  expect((await notes()).slice(-2)).toEqual(['theirs', 'mine']); // not blocked by the snapshot of the long read
  expect(await reading).toHaveLength(500_000);
});

test('a write that timed out on another process’s lock does not block the next write', async () => {
  const write = (text: string) => executor.run((statements) => statements.write('INSERT INTO notes VALUES (?)', [text]));
  await withOtherProcess(async (other) => {
    other.exec('BEGIN IMMEDIATE');
    for (const refused of [() => write('refused'), () => add(dataSource.manager, 'refused')]) {
      await expect(refused()).rejects.toThrow(/locked/);
    }
    other.exec('ROLLBACK');
    await write('one');
    await add(dataSource.manager, 'two');
    expect(other.prepare('SELECT text FROM notes').all()).toEqual([{ text: 'one' }, { text: 'two' }]);
  });
});

test('foreign keys are off only during a migration', async () => {
  const foreignKeys = async (manager: EntityManager) =>
    (await manager.query<[{ foreign_keys: number }]>('PRAGMA foreign_keys'))[0].foreign_keys;
  const seen: number[] = [];
  const up = async (runner: QueryRunner) => void seen.push(await foreignKeys(runner.manager));
  await dialect.withMigrationLock(dataSource, async (executor) => {
    await executor.executeMigration(new Migration(undefined, 1, 'Look', { up, down: up }));
  });
  await executor.run(async ({ manager }) => void seen.push(await foreignKeys(manager)));
  expect([...seen, await foreignKeys(dataSource.manager)]).toEqual([0, 1, 1]);
});
