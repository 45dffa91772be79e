import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tells domains that have lost their proof from those that never had one. */
export class LostProofs1795520000000 implements MigrationInterface {
  name = 'LostProofs1795520000000';
  derived = ['domain_verifications.lost'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE domain_verifications ADD COLUMN lost bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE domain_verifications DROP COLUMN lost');
  }
}
