import { index, time } from 'frontdesk';
import { type MigrationInterface, type QueryRunner, TableColumn, TableIndex } from 'typeorm';

export class CouponEnds1796100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.addColumn('coupons', new TableColumn(time('valid_until', true)));
    await runner.createIndex('coupons', new TableIndex(index('valid_until')));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropColumn('coupons', 'valid_until');
  }
}
