import { type MigrationInterface, type QueryRunner, Table, type TableOptions } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { generatedId, index, integer, nullable, time, varchar } from './columns';

const TABLES: TableOptions[] = [
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
    columns: [{ ...varchar('key_hash', 64), isPrimary: true }, varchar('fingerprint', 64), integer('record_id'), time('datetime')],
    indices: [index('datetime')],
  },
];

export class AuditAndIdempotency1795230000000 implements MigrationInterface {
  name = 'AuditAndIdempotency1795230000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.createTable(new Table({ ...table, engine: MYSQL_TABLE }));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES.toReversed()) await runner.dropTable(table.name);
  }
}
