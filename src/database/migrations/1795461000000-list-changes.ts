import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { integer, varchar } from './columns';

const COUNTERS = ['inserted', 'deleted', 'updated', 'uncounted'].map((name) => ({ name, type: 'bigint' }));

/** Numbers of changes per account and list. `deletions` stays for the previous version's processes, which still write to it. */
export class ListChanges1795461000000 implements MigrationInterface {
  name = 'ListChanges1795461000000';
  derived = ['list_changes'];

  async up(runner: QueryRunner): Promise<void> {
    const key = [integer('account_id'), varchar('list', 64), integer('shard')].map((column) => ({ ...column, isPrimary: true }));
    await runner.createTable(new Table({ name: 'list_changes', columns: [...key, ...COUNTERS], engine: MYSQL_TABLE }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('list_changes');
  }
}
