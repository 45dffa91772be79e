import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';

/** How the previous version stored a key with every scope. */
const ALL_SCOPES =
  'domains:read,domains:write,notification-handlers:read,notification-handlers:write,notifications:read,scheduling:read,secrets:read';

const OF_ACCOUNT = new TableIndex({ columnNames: ['account_id'] });

/** Only adds columns and an index, so that the previous version can keep serving. In plain SQL: TypeORM would rebuild each table on SQLite. */
export class KeysAndAccounts1795320000000 implements MigrationInterface {
  name = 'KeysAndAccounts1795320000000';

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
