import { type MigrationInterface, type QueryRunner, Table, TableIndex } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { index, integer, varchar } from './columns';

const BY_EXPIRY = new TableIndex({ columnNames: ['expires_at'] });
const until = { name: 'until', type: 'bigint' };
const keys = [{ ...varchar('key_hash', 64), isPrimary: true }, integer('account_id'), integer('message_id'), until];

/** Messages that are sent later, expire, are cancelled, or have a `dedup_key`. */
export class MessageTimes1795500000000 implements MigrationInterface {
  name = 'MessageTimes1795500000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['messages', 'deliveries']) {
      for (const column of ['send_at', 'expires_at']) await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} bigint`);
    }
    await runner.query('ALTER TABLE messages ADD COLUMN repeats integer NOT NULL DEFAULT 0');
    await runner.query('ALTER TABLE deliveries ADD COLUMN cancelled_by integer');
    await runner.createIndex('deliveries', BY_EXPIRY);
    const indices = [index('account_id'), index('until')];
    await runner.createTable(new Table({ name: 'message_keys', columns: keys, indices, engine: MYSQL_TABLE }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('message_keys');
    await runner.dropIndex('deliveries', BY_EXPIRY);
    await runner.query('ALTER TABLE deliveries DROP COLUMN cancelled_by');
    await runner.query('ALTER TABLE messages DROP COLUMN repeats');
    for (const table of ['deliveries', 'messages']) {
      for (const column of ['expires_at', 'send_at']) await runner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    }
  }
}
