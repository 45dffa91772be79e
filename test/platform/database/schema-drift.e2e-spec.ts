/** @mysql always */
import {
  Column,
  Entity,
  Index,
  type MigrationInterface,
  type QueryRunner,
  Table,
  type TableColumnOptions,
  type TableIndexOptions,
} from 'typeorm';
import { AccountRecord } from '../../../src/auth/accounts/account.entity';
import { generatedId, index, integer, nullable, reference, time, unique, varchar } from '../../../src/platform/database/migrations/columns';
import { schemaDrift } from '../../../src/platform/database/migrations';
import { MYSQL_TABLE } from '../../../src/platform/database/migrations/columns';
import type { Extension } from '../../../src/platform/extensions/extension';
import { type TestApplication, useApplication, withApplication } from '../../support/http/application';
import { createDatabase } from '../../support/servers/database';

const { application } = useApplication();
let ofMigrated: string[];

beforeAll(async () => {
  ofMigrated = await schemaDrift(application().dataSource);
});

test('the migrated schema matches the entities', () => expect(ofMigrated).toEqual([]));

test.each([
  'ALTER TABLE domains ADD COLUMN colour varchar(8)',
  'ALTER TABLE domains DROP COLUMN custom_index_url',
  'ALTER TABLE campaigns DROP COLUMN datetime',
  'DROP TABLE notifications',
])('schema drift is detected after %s', async (statement) => {
  const { dataSource } = application();
  const before = await schemaDrift(dataSource); // the other statements'
  await dataSource.query(statement);
  const after = await schemaDrift(dataSource);
  expect(after).not.toEqual([]);
  expect(after).not.toEqual(before);
});

@Entity('badges')
@Index(['account_id', 'colour'], { unique: true })
class Badge extends AccountRecord {
  @Column({ type: 'varchar', length: 8, nullable: true })
  colour: string | null;
}

function badges(columns: TableColumnOptions[], indices: TableIndexOptions[]): Extension {
  class Badges1796100000000 implements MigrationInterface {
    async up(runner: QueryRunner): Promise<void> {
      const all = [generatedId(), integer('account_id'), time('last_datetime', true), time('datetime'), ...columns];
      const keys = { foreignKeys: [reference('account_id', 'accounts')], indices: [index('account_id', 'id'), ...indices] };
      await runner.createTable(new Table({ name: 'badges', engine: MYSQL_TABLE, columns: all, ...keys }));
    }

    down(runner: QueryRunner): Promise<void> {
      return runner.dropTable('badges');
    }
  }
  return { name: 'badges', entities: [Badge], migrations: [Badges1796100000000] };
}

const COLOUR = varchar('colour', 8);
const KEY = unique('account_id', 'colour');

test.each<[string, TableColumnOptions[], TableIndexOptions[], boolean]>([
  ['nothing is missing', [nullable(COLOUR)], [KEY], false],
  ['a column is missing', [], [], true],
  ['a column is not nullable', [COLOUR], [KEY], true],
  ['an index is missing', [nullable(COLOUR)], [], true],
  ['an index is not unique', [nullable(COLOUR)], [index('account_id', 'colour')], true],
])('drift between an extension’s migration and its entity: %s', async (_, columns, indices, isDrift) => {
  const own = await createDatabase();
  let drift: string[] = [];
  const read = async ({ dataSource }: TestApplication) => void (drift = await schemaDrift(dataSource));
  await withApplication(own.env, read, badges(columns, indices));
  await own.drop();
  expect(drift.some((query) => query.includes('colour'))).toBe(isDrift);
  expect(drift.length > 0).toBe(isDrift);
});
