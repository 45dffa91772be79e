import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { text, time, varchar } from './columns';

/** Remembers the extensions whose tables or migrations are in the database. */
export class Extensions1795480000000 implements MigrationInterface {
  name = 'Extensions1795480000000';
  derived = ['extensions'];

  async up(runner: QueryRunner): Promise<void> {
    const columns = [{ ...varchar('name', 64), isPrimary: true }, text('parts'), time('datetime')];
    await runner.createTable(new Table({ name: 'extensions', columns, engine: MYSQL_TABLE }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('extensions');
  }
}
