import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions, type TableOptions } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { integer, varchar } from './columns';

const DAY_MS = 86_400_000;
const bigint = (name: string): TableColumnOptions => ({ name, type: 'bigint' });
const key = (column: TableColumnOptions): TableColumnOptions => ({ ...column, isPrimary: true });

const TABLES: TableOptions[] = [
  { name: 'scheduled_jobs', columns: [key(varchar('name', 64)), bigint('due'), integer('failures')] },
  { name: 'quota_counts', columns: [key(integer('account_id')), key(varchar('name', 64)), bigint('started'), integer('number')] },
];

/**
 * When jobs run next, and what accounts have used of their quotas. Today's counts are kept; `delivery_counts` and `minute_limits`, which only the
 * previous version uses, stay for its processes.
 */
export class JobsAndQuotas1795460000000 implements MigrationInterface {
  name = 'JobsAndQuotas1795460000000';
  derived = TABLES.map(({ name }) => name);

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.createTable(new Table({ ...table, engine: MYSQL_TABLE }));
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

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of TABLES.toReversed()) await runner.dropTable(name);
  }
}
