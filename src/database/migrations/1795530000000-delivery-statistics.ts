import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { integer, varchar } from './columns';

const KEY = [integer('account_id'), varchar('kind', 8), varchar('hour', 13), varchar('value', 32), integer('shard')];
const COLUMNS = [...KEY.map((column) => ({ ...column, isPrimary: true })), { name: 'number', type: 'bigint' }];
const VALUES = { status: 'status', outcome: "COALESCE(outcome, '')", handler: 'handler_id' };

/** Counts of deliveries per hour. What processes of the previous version write is counted by a job. */
export class DeliveryStatistics1795530000000 implements MigrationInterface {
  name = 'DeliveryStatistics1795530000000';
  derived = ['delivery_statistics'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(new Table({ name: 'delivery_statistics', columns: COLUMNS, engine: MYSQL_TABLE }));
    for (const [kind, value] of Object.entries(VALUES)) {
      const counted = `SELECT account_id, '${kind}', SUBSTR(datetime, 1, 13), ${value}, 0, COUNT(*) FROM deliveries`;
      await runner.query(`INSERT INTO delivery_statistics ${counted} GROUP BY account_id, SUBSTR(datetime, 1, 13), ${value}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('delivery_statistics');
  }
}
