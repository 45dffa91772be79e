import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { integer, varchar } from './columns';

const KEY = [
  integer('account_id'),
  varchar('hour', 13),
  integer('handler_id'),
  varchar('status', 16),
  varchar('outcome', 32),
  integer('shard'),
];
const COLUMNS = [...KEY.map((column) => ({ ...column, isPrimary: true })), { name: 'number', type: 'bigint' }];

/** Counts of deliveries per hour. What processes of the previous version write is counted by a job. */
export class DeliveryStatistics1795530000000 implements MigrationInterface {
  name = 'DeliveryStatistics1795530000000';
  derived = ['delivery_statistics'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(new Table({ name: 'delivery_statistics', columns: COLUMNS, engine: MYSQL_TABLE }));
    const group = "account_id, SUBSTR(datetime, 1, 13), handler_id, status, COALESCE(outcome, '')";
    await runner.query(`INSERT INTO delivery_statistics SELECT ${group}, 0, COUNT(*) FROM deliveries GROUP BY ${group}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('delivery_statistics');
  }
}
