import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { integer, varchar } from './columns';

const DELETIONS = new Table({
  name: 'deletions',
  columns: [{ ...integer('account_id'), isPrimary: true }, { ...varchar('list', 64), isPrimary: true }, integer('number')],
  engine: MYSQL_TABLE,
});

export class Deletions1795226400000 implements MigrationInterface {
  name = 'Deletions1795226400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(DELETIONS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('deletions');
  }
}
