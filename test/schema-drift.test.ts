import type { DataSource } from 'typeorm';
import { createDialect, dataSourceOptions } from '../ormconfig';
import { Config } from '../src/config/config';
import { Migrations } from '../src/database/migrations';
import { createDatabase, type TestDatabase } from './support/database';

let database: TestDatabase;
let dataSource: DataSource;
let ofMigrated: string[];

beforeAll(async () => {
  database = await createDatabase();
  const dialect = createDialect(new Config(database.env));
  dataSource = await dialect.createDataSource(dataSourceOptions(dialect)).initialize();
  await new Migrations(dataSource, dialect).run();
  ofMigrated = await drift();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** What TypeORM would change to make the database match the entities. */
async function drift(): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  const queries = upQueries.map(({ query }) => query);
  return queries.filter((query) => !isPhantom(query, queries));
}

/**
 * MariaDB reports NULL as the default of a nullable column, MySQL reports none, and TypeORM mistakes that for a change: it "changes"
 * such a column to what it is, and drops and recreates its indexes. An index's name is a hash of its table and columns.
 */
function isPhantom(query: string, queries: string[]): boolean {
  if (/^ALTER TABLE `\w+` CHANGE `(\w+)` `\1` (?:varchar\(\d+\)|int|bigint) NULL$/.test(query)) return true;
  const [, verb, name] = /^(DROP|CREATE) INDEX (`IDX_\w+`) /.exec(query) ?? [];
  const inverse = verb === 'DROP' ? 'CREATE' : 'DROP';
  return verb !== undefined && queries.some((other) => other.startsWith(`${inverse} INDEX ${name} `));
}

test('the migrated schema matches the entities', () => expect(ofMigrated).toEqual([]));

test.each([
  'ALTER TABLE domains ADD COLUMN colour varchar(8)',
  'ALTER TABLE domains DROP COLUMN custom_index_url',
  'ALTER TABLE campaigns DROP COLUMN datetime',
  'DROP TABLE notifications',
])('drift is detected: %s', async (statement) => {
  const before = await drift(); // the other statements'
  await dataSource.query(statement);
  const after = await drift();
  expect(after).not.toEqual([]);
  expect(after).not.toEqual(before);
});
