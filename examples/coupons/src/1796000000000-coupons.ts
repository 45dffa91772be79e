import { generatedId, index, integer, MYSQL_TABLE, reference, time, unique, varchar } from 'frontdesk';
import { type MigrationInterface, type QueryRunner, Table, type TableOptions } from 'typeorm';

const OF_ACCOUNT = [generatedId(), integer('account_id'), time('last_datetime', true), time('datetime')];

const COUPONS: TableOptions = {
  name: 'coupons',
  columns: [
    ...OF_ACCOUNT,
    varchar('code', 32),
    { ...varchar('code_folded', 96), default: "''" },
    integer('percent'),
    integer('max_redemptions'),
    integer('redeemed'),
  ],
  foreignKeys: [reference('account_id', 'accounts')],
  indices: [
    unique('account_id', 'code'),
    ...['id', 'code_folded', 'percent', 'datetime', 'last_datetime'].map((column) => index('account_id', column)),
  ],
};

const REDEMPTIONS: TableOptions = {
  name: 'coupon_redemptions',
  columns: [...OF_ACCOUNT, integer('coupon_id'), varchar('customer', 64)],
  foreignKeys: [reference('account_id', 'accounts'), { ...reference('coupon_id', 'coupons'), onDelete: 'CASCADE' }],
  indices: [index('account_id', 'id'), index('coupon_id')],
};

const UPLOADS: TableOptions = {
  name: 'coupon_uploads',
  columns: [...OF_ACCOUNT, varchar('file_name', 255), integer('coupons')],
  foreignKeys: [reference('account_id', 'accounts')],
  indices: [index('account_id', 'id')],
};

export class Coupons1796000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of [COUPONS, REDEMPTIONS, UPLOADS]) await runner.createTable(new Table({ ...table, engine: MYSQL_TABLE }));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of [UPLOADS, REDEMPTIONS, COUPONS]) await runner.dropTable(name);
  }
}
