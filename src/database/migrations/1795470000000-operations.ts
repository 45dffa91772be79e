import { type MigrationInterface, type QueryRunner, Table, TableIndex } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { integer, varchar } from './columns';

const BY_OUTCOME = new TableIndex({ columnNames: ['account_id', 'outcome'] });

/**
 * Adds the installation, which distinguishes a restored database's deliveries from earlier ones; each delivery's last outcome; and a
 * message's trace.
 */
export class Operations1795470000000 implements MigrationInterface {
  name = 'Operations1795470000000';
  derived = ['installations', 'deliveries.outcome'];

  async up(runner: QueryRunner): Promise<void> {
    const columns = [{ ...integer('id'), isPrimary: true }, varchar('part', 16)];
    await runner.createTable(new Table({ name: 'installations', columns, engine: MYSQL_TABLE }));
    await runner.query('ALTER TABLE deliveries ADD COLUMN part varchar(16)');
    await runner.query('ALTER TABLE deliveries ADD COLUMN outcome varchar(32)');
    await runner.query('ALTER TABLE messages ADD COLUMN traceparent varchar(55)');
    await runner.createIndex('deliveries', BY_OUTCOME);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('deliveries', BY_OUTCOME);
    await runner.query('ALTER TABLE messages DROP COLUMN traceparent');
    await runner.query('ALTER TABLE deliveries DROP COLUMN outcome');
    await runner.query('ALTER TABLE deliveries DROP COLUMN part');
    await runner.dropTable('installations');
  }
}
