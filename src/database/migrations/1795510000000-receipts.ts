import { type MigrationInterface, type QueryRunner, Table, type TableOptions } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { index, integer, nullable, reference, time, varchar } from './columns';

const RECEIPTS: TableOptions = {
  name: 'receipts',
  columns: [
    { ...varchar('sid', 64), isPrimary: true },
    nullable(integer('delivery_id')),
    nullable(varchar('receipt', 255)),
    time('datetime'),
  ],
  foreignKeys: [{ ...reference('delivery_id', 'deliveries'), onDelete: 'CASCADE' }],
  indices: [index('delivery_id', 'datetime')],
};

/** What Twilio reports of messages and calls. */
export class Receipts1795510000000 implements MigrationInterface {
  name = 'Receipts1795510000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE deliveries ADD COLUMN receipt varchar(255)');
    await runner.createTable(new Table({ ...RECEIPTS, engine: MYSQL_TABLE }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('receipts');
    await runner.query('ALTER TABLE deliveries DROP COLUMN receipt');
  }
}
