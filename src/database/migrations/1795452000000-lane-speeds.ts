import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';

const BEFORE = new TableIndex({ columnNames: ['available', 'account_id'] });
const BY_SPEED = new TableIndex({ columnNames: ['is_slow', 'available'] });
const OF_ACCOUNT = new TableIndex({ columnNames: ['account_id', 'is_slow', 'available'] });

/** How long a lane's last attempt took, and indexes to find due lanes by speed. Until now `is_slow` meant a timeout. */
export class LaneSpeeds1795452000000 implements MigrationInterface {
  name = 'LaneSpeeds1795452000000';
  derived = ['delivery_lanes.last_ms'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE delivery_lanes ADD COLUMN last_ms integer');
    await runner.query('UPDATE delivery_lanes SET last_ms = CASE WHEN is_slow = 1 THEN 10000 ELSE 0 END WHERE last_claim > 0');
    await runner.createIndex('delivery_lanes', BY_SPEED);
    await runner.createIndex('delivery_lanes', OF_ACCOUNT);
    await runner.dropIndex('delivery_lanes', BEFORE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.createIndex('delivery_lanes', BEFORE);
    await runner.dropIndex('delivery_lanes', OF_ACCOUNT);
    await runner.dropIndex('delivery_lanes', BY_SPEED);
    await runner.query('ALTER TABLE delivery_lanes DROP COLUMN last_ms');
  }
}
