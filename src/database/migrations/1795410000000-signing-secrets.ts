import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { generatedId, index, integer, reference, text, time } from './columns';

const SIGNING_SECRETS = new Table({
  name: 'signing_secrets',
  engine: MYSQL_TABLE,
  columns: [generatedId(), integer('account_id'), integer('handler_id'), text('secret'), time('replaced_datetime', true), time('datetime')],
  foreignKeys: [reference('account_id', 'accounts'), { ...reference('handler_id', 'notification_handlers'), onDelete: 'CASCADE' }],
  indices: [index('account_id', 'id'), index('handler_id')],
});

export class SigningSecrets1795410000000 implements MigrationInterface {
  name = 'SigningSecrets1795410000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(SIGNING_SECRETS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('signing_secrets');
  }
}
