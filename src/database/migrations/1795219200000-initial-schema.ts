import {
  type MigrationInterface,
  type QueryRunner,
  Table,
  type TableColumnOptions,
  type TableForeignKeyOptions,
  type TableIndexOptions,
  type TableOptions,
} from 'typeorm';
import { MYSQL_TABLE } from '../mysql.dialect';

const id: TableColumnOptions = { name: 'id', type: 'integer', isPrimary: true, isGenerated: true, generationStrategy: 'increment' };
const accountId: TableColumnOptions = { name: 'account_id', type: 'integer' };
const isEnabled: TableColumnOptions = { name: 'is_enabled', type: 'boolean' };
const datetime = time('datetime');
const lastDatetime = time('last_datetime', true);
const ofAccount: TableForeignKeyOptions = reference('account_id', 'accounts');

const TABLES: TableOptions[] = [
  {
    name: 'accounts',
    columns: [id, varchar('name', 128), datetime],
    indices: [unique('name')],
  },
  {
    name: 'api_keys',
    columns: [
      id,
      accountId,
      varchar('name', 128),
      varchar('key_hash', 64),
      varchar('scopes', 512),
      time('expires_datetime', true),
      time('last_used_datetime', true),
      time('revoked_datetime', true),
      datetime,
    ],
    foreignKeys: [ofAccount],
    indices: [unique('key_hash'), { columnNames: ['account_id'] }],
  },
  {
    name: 'domains',
    columns: [
      id,
      accountId,
      varchar('scheme', 8),
      varchar('host', 253),
      varchar('custom_index_url', 2048),
      varchar('custom_not_found_url', 2048),
      isEnabled,
      lastDatetime,
      datetime,
    ],
    foreignKeys: [ofAccount],
    indices: [unique('host'), { columnNames: ['account_id', 'id'] }],
  },
  {
    name: 'notification_handlers',
    columns: [
      id,
      accountId,
      varchar('type', 32),
      varchar('name', 128),
      { name: 'settings', type: 'text' },
      isEnabled,
      lastDatetime,
      datetime,
    ],
    foreignKeys: [ofAccount],
    indices: [{ columnNames: ['account_id', 'id'] }],
  },
  {
    name: 'campaigns',
    columns: [id, accountId, varchar('name', 128), isEnabled, datetime],
    foreignKeys: [ofAccount],
    indices: [{ columnNames: ['account_id', 'id'] }],
  },
  {
    name: 'notifications',
    columns: [
      id,
      accountId,
      { name: 'campaign_id', type: 'integer' },
      varchar('notification_key', 32),
      varchar('name', 128),
      varchar('type', 64),
      { name: 'settings', type: 'text' },
      isEnabled,
      lastDatetime,
      datetime,
    ],
    foreignKeys: [ofAccount, reference('campaign_id', 'campaigns')],
    indices: [unique('notification_key'), { columnNames: ['account_id', 'id'] }, { columnNames: ['campaign_id'] }],
  },
];

export class InitialSchema1795219200000 implements MigrationInterface {
  name = 'InitialSchema1795219200000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.createTable(new Table({ ...table, engine: MYSQL_TABLE }));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES.toReversed()) await runner.dropTable(table.name);
  }
}

function varchar(name: string, length: number): TableColumnOptions {
  return { name, type: 'varchar', length: String(length) };
}

function time(name: string, isNullable = false): TableColumnOptions {
  return { ...varchar(name, 19), isNullable };
}

/** An index on every database: a unique constraint has another name on each, and would count as drift. */
function unique(column: string): TableIndexOptions {
  return { columnNames: [column], isUnique: true };
}

function reference(column: string, table: string): TableForeignKeyOptions {
  return { columnNames: [column], referencedTableName: table, referencedColumnNames: ['id'], onDelete: 'RESTRICT', onUpdate: 'NO ACTION' };
}
