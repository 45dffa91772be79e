import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { integer, varchar } from './columns';

/** When jobs run next. */
export class JobsAndQuotas1795460000000 implements MigrationInterface {
  name = 'JobsAndQuotas1795460000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(
      new Table({
        name: 'scheduled_jobs',
        engine: MYSQL_TABLE,
        columns: [{ ...varchar('name', 64), isPrimary: true }, { name: 'due', type: 'bigint' }, integer('failures')],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('scheduled_jobs');
  }
}
