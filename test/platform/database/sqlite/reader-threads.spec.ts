import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { QueryFailedError } from 'typeorm';
import { DatabaseFile } from '../../../../src/platform/database/sqlite/database-file';
import { ReaderThreads } from '../../../../src/platform/database/sqlite/reader-threads';

const SLOW = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000) SELECT COUNT(*) FROM n';

let folder: string;
let file: string;
let threads: ReaderThreads;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'frontdesk-test-'));
  file = join(folder, 'database', 'data.sqlite');
  mkdirSync(dirname(file));
  writeFileSync(file, '');
  const opened = new DatabaseFile(file);
  opened.open();
  threads = new ReaderThreads(opened);
});

afterEach(async () => {
  await threads.end();
  rmSync(folder, { recursive: true });
});

const read = (accountId: number, sql: string) => threads.read(accountId, { sql, values: [], shape: 'rows' });

test('a read does not block the event loop', async () => {
  const order: string[] = [];
  const reading = read(1, SLOW).then(() => order.push('read'));
  setImmediate(() => order.push('other work'));
  await reading;
  expect(order).toEqual(['other work', 'read']);
});

test('reads of one account run one at a time, beside those of other accounts', async () => {
  const order: string[] = [];
  const note = (name: string, reading: Promise<unknown>) => reading.then(() => order.push(name));
  await Promise.all([read(1, SLOW), read(2, SLOW)]); // both threads have started
  await Promise.all([
    ...['first', 'second', 'third'].map((name) => note(name, read(1, SLOW))),
    ...['other', 'others'].map((name) => note(name, read(2, 'SELECT 1'))),
  ]);
  expect(order.indexOf('others')).toBeLessThan(order.indexOf('second'));
  expect(order.filter((name) => !name.startsWith('other'))).toEqual(['first', 'second', 'third']);
});

test('an exclusive read waits for running reads, and later reads wait for it', async () => {
  const order: string[] = [];
  const note = (name: string, reading: Promise<unknown>) => reading.then(() => order.push(name));
  await Promise.all([
    note('before', read(1, SLOW)),
    note('alone', threads.read(null, { sql: SLOW, values: [], shape: 'rows' }, true)),
    note('after', read(2, 'SELECT 1')),
  ]);
  expect(order).toEqual(['before', 'alone', 'after']);
});

test('values keep their types, and the shape integers returns an Int32Array', async () => {
  const sql = "SELECT 7 AS number, 'text' AS text, NULL AS missing, ? AS given";
  const query = (shape: 'rows' | 'integers') => threads.read(1, { sql, values: [true], shape });
  expect(await query('rows')).toEqual([[7, 'text', null, 1]]);
  expect(await query('integers')).toEqual(Int32Array.of(7));
});

test('a failed read has the error code, and the thread serves the next read', async () => {
  const failed = await read(1, 'SELECT missing').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(QueryFailedError);
  expect(failed).toMatchObject({ code: 'SQLITE_ERROR', message: 'no such column: missing' });
  expect(await read(1, 'SELECT 1')).toEqual([[1]]);
});

test('writing statements are rejected', async () => {
  await expect(read(1, 'CREATE TABLE notes (id) RETURNING 1')).rejects.toThrow();
  await expect(read(1, 'PRAGMA user_version = 7')).rejects.toThrow();
});

test('a thread that exits fails its read, and the next read starts another thread', async () => {
  const check = jest.spyOn(DatabaseFile.prototype, 'requireInPlace').mockImplementation();
  rmSync(dirname(file), { recursive: true });
  await expect(read(1, 'SELECT 1')).rejects.toThrow(QueryFailedError);
  mkdirSync(dirname(file));
  expect(await read(1, 'SELECT 1')).toEqual([[1]]);
  check.mockRestore();
});

test('a removed database file fails the read and is not created again', async () => {
  rmSync(file);
  await expect(read(1, 'SELECT 1')).rejects.toMatchObject({ code: 'SQLITE_READONLY_DBMOVED' });
  expect(existsSync(file)).toBe(false);
});

test('end() waits for the running read and rejects the waiting ones', async () => {
  const order: string[] = [];
  const first = read(1, SLOW).then(() => order.push('read'));
  const refused = expect(read(1, SLOW)).rejects.toThrow('The database is being closed.');
  await threads.end();
  order.push('end');
  await Promise.all([first, refused]);
  expect(order).toEqual(['read', 'end']);
});
