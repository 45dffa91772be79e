import { type MigrationInterface, type QueryRunner, TableIndex, type TableOptions } from 'typeorm';
import { bigint, createTables, dropTables, generatedId, index, integer, key, NewTables, nullable, text, time, varchar } from './columns';

const AUDIT_AND_IDEMPOTENCY: TableOptions[] = [
  {
    name: 'audit',
    columns: [
      { ...generatedId(), unsigned: true }, // every write uses up an id
      time('datetime'),
      integer('account_id'),
      nullable(integer('key_id')),
      varchar('action', 16),
      varchar('record', 32),
      nullable(integer('record_id')),
      nullable(varchar('request_id', 128)),
    ],
    indices: [index('account_id', 'id')],
  },
  {
    name: 'idempotency_keys',
    columns: [key(varchar('key_hash', 64)), varchar('fingerprint', 64), integer('record_id'), time('datetime')],
    indices: [index('datetime')],
  },
];

export class AuditAndIdempotency1795230000000 extends NewTables {
  protected tables = AUDIT_AND_IDEMPOTENCY;
}

/** The `scopes` of a key with every scope, as the previous version stored them. */
const ALL_SCOPES =
  'domains:read,domains:write,notification-handlers:read,notification-handlers:write,notifications:read,scheduling:read,secrets:read';

const OF_ACCOUNT = new TableIndex({ columnNames: ['account_id'] });

/** Only adds columns and an index: the previous version can keep serving. Plain SQL, because TypeORM would rebuild tables on SQLite. */
export class KeysAndAccounts1795320000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts ADD COLUMN disabled_datetime varchar(19)');
    await runner.query('ALTER TABLE api_keys ADD COLUMN has_all_scopes boolean NOT NULL DEFAULT 0');
    await runner.query('UPDATE api_keys SET has_all_scopes = 1 WHERE scopes = ?', [ALL_SCOPES]);
    await runner.query('ALTER TABLE idempotency_keys ADD COLUMN account_id integer');
    await runner.createIndex('idempotency_keys', OF_ACCOUNT);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('idempotency_keys', OF_ACCOUNT);
    await runner.query('ALTER TABLE idempotency_keys DROP COLUMN account_id');
    await runner.query('ALTER TABLE api_keys DROP COLUMN has_all_scopes');
    await runner.query('ALTER TABLE accounts DROP COLUMN disabled_datetime');
  }
}

/** 64-bit ids on MySQL, which copies the table; on SQLite they have always been 64-bit. */
export class AuditIds1795323600000 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return setType(runner, 'bigint unsigned');
  }

  /** Fails if any id exceeds 32 bits. */
  down(runner: QueryRunner): Promise<void> {
    return setType(runner, 'int unsigned');
  }
}

/** Changes the type of `audit.id` on MySQL, in plain SQL: TypeORM would drop the column and add another. */
async function setType(runner: QueryRunner, type: string): Promise<void> {
  if (runner.dataSource.options.type === 'mysql') await runner.query(`ALTER TABLE audit MODIFY id ${type} NOT NULL AUTO_INCREMENT`);
}

const DAY_MS = 86_400_000;

const JOBS_AND_QUOTAS: TableOptions[] = [
  { name: 'scheduled_jobs', columns: [key(varchar('name', 64)), bigint('due'), integer('failures')] },
  { name: 'quota_counts', columns: [key(integer('account_id')), key(varchar('name', 64)), bigint('started'), integer('number')] },
];

/**
 * Tables for when jobs run next, and for the accounts' use of quotas. Copies today's counts; `delivery_counts` and `minute_limits` stay for
 * processes of the previous version.
 */
export class JobsAndQuotas1795460000000 implements MigrationInterface {
  derived = JOBS_AND_QUOTAS.map(({ name }) => name);

  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, JOBS_AND_QUOTAS);
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const isSqlite = runner.connection.options.type !== 'mysql';
    const name = isSqlite ? "'deliveries:' || type" : "CONCAT('deliveries:', type)";
    await runner.query(
      `INSERT INTO quota_counts (account_id, name, started, number) SELECT account_id, ${name}, ?, number FROM delivery_counts WHERE day = ?`,
      [today, new Date(today).toISOString().slice(0, 10)],
    );
    await runner.query(
      'INSERT INTO quota_counts (account_id, name, started, number) SELECT account_id, action, started, number FROM minute_limits',
    );
  }

  down(runner: QueryRunner): Promise<void> {
    return dropTables(runner, JOBS_AND_QUOTAS);
  }
}

/** Remembers the extensions whose tables or migrations are in the database. */
export class Extensions1795480000000 extends NewTables {
  derived = ['extensions'];
  protected tables = [{ name: 'extensions', columns: [key(varchar('name', 64)), text('parts'), time('datetime')] }];
}
