/** @mysql always */
import { Dialect, type RowValues, type Value } from '../../../src/platform/database/dialect';
import { useApplication } from '../../support/http/application';
import { onMysql } from '../../support/servers/database';

const { application } = useApplication();

const EXPRESSIONS: [sql: string, value: Value][] = [
  ['COUNT(*)', 2],
  ['SUM(number)', 3],
  ['COALESCE(SUM(number), 0)', 3],
  ['MAX(number)', 2],
  ['MAX(number) + 1', 3],
  ['SUM(number > 1)', 1],
  ['MAX(number > 1)', 1],
  ['EXISTS (SELECT 1 FROM accounts WHERE id = -1)', 0],
  ['NULL', null],
  ["MAX('text')", 'text'],
];
const SQL = `SELECT ${EXPRESSIONS.map(([sql], index) => `${sql} AS c${index}`).join(', ')} FROM (SELECT 1 AS number UNION SELECT 2) numbers`;
const EXPECTED = EXPRESSIONS.map(([, value]) => value);

test('SQL expressions return the same values and types on every database', async () => {
  const dialect = application().app.get(Dialect);
  const read: RowValues[] = await dialect.read(SQL, []);
  expect(read).toEqual([EXPECTED]);
  const [named] = await application().dataSource.query<object[]>(SQL);
  expect(Object.values(named)).toEqual(EXPECTED);
  const inTransaction = await dialect.statementTransaction((statements) => statements.read(SQL, []));
  expect(inTransaction).toEqual([EXPECTED]);
});

test('integers beyond 32 bits are exact numbers', async () => {
  const dialect = application().app.get(Dialect);
  const [[large]] = await dialect.read('SELECT SUM(number) FROM (SELECT 9007199254740990 AS number UNION SELECT 1) numbers', []);
  expect(large).toBe(Number.MAX_SAFE_INTEGER);
});

(onMysql ? describe.skip : describe)('the embedded database', () => {
  const read = (value: unknown) => application().dataSource.query<{ x: unknown }[]>('SELECT ? AS x', [value]);

  test.each<[string, unknown, unknown]>([
    ['null', null, null],
    ['a boolean', true, 1],
    ['a number', 7, 7],
    ['bytes', Buffer.from('ab'), Buffer.from('ab')],
  ])('a parameter may be %s', async (_name, value, expected) => {
    expect(await read(value)).toEqual([{ x: expected }]);
    const within = application().dataSource.transaction((manager) => manager.query<unknown>('SELECT ? AS x', [value]));
    expect(await within).toEqual([{ x: expected }]);
  });

  test.each<[string, unknown]>([
    ['an object', { a: 1 }],
    ['a date', new Date()],
  ])('a parameter that is %s is rejected', async (_name, value) => {
    await expect(read(value)).rejects.toThrow('can only bind');
    expect(await read(1)).toEqual([{ x: 1 }]);
  });

  test('COMMIT in a transaction is rejected, and a SELECT behind a comment is allowed', async () => {
    const { dataSource } = application();
    await expect(dataSource.transaction((manager) => manager.query('/* now */ COMMIT'))).rejects.toThrow('not with SQL statements');
    await dataSource.transaction(async () => expect(await dataSource.query('/* report */ SELECT 1 AS x')).toEqual([{ x: 1 }]));
  });
});
