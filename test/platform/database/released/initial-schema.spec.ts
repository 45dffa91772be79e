import { createHash } from 'node:crypto';
import Libsql from 'libsql';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { InitialSchema1795200050600 } from '../../../../src/platform/database/migrations/initial-schema';

/**
 * Hashes of the statements that 1.0.0's migration runs, not of its text: a comment or an import may change; a helper in
 * columns.ts, or a TypeORM, that makes other tables may not.
 */
const RELEASED: [name: string, options: DataSourceOptions, hash: string][] = [
  [
    'SQLite',
    { type: 'better-sqlite3', driver: Libsql, database: ':memory:' },
    'fa4e89f1b383ed53a758a74c9588a92915f93b5323456e520413f19450e125ea',
  ],
  ['MySQL', { type: 'mysql' }, '12abcb6613485db44087cb14ce42f6f9939639bfe5e17f30946f5d739695e626'],
];

const CHANGED = `The initial schema is released: write a second migration (docs/internals/changing.md#a-migration).
If a new TypeORM only spells the same tables differently, put the new hash here.`;

/** What the migration sends to a database. Connects to none. */
async function statementsFor(options: DataSourceOptions): Promise<string> {
  const runner = new DataSource(options).createQueryRunner();
  const statements: string[] = [];
  jest.spyOn(runner, 'query').mockImplementation((sql: string) => {
    statements.push(sql.trim());
    return Promise.resolve([]);
  });
  await new InitialSchema1795200050600().up(runner);
  return statements.join('\n');
}

test.each(RELEASED)('the initial schema still creates the tables of 1.0.0 on %s', async (_, options, released) => {
  const statements = await statementsFor(options);
  expect(statements.match(/^CREATE TABLE/gm)!.length).toBeGreaterThanOrEqual(30);
  const hash = createHash('sha256').update(statements).digest('hex');
  if (hash !== released) throw new Error(`${CHANGED}\nThe hash is ${hash}, of:\n${statements}`);
});
