import type { MigrationInterface, QueryRunner } from 'typeorm';

/** In SQL, which both databases do in place; TypeORM would build the table anew on SQLite. */
export class Deletions1795226400000 implements MigrationInterface {
  name = 'Deletions1795226400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts ADD COLUMN deletions integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts DROP COLUMN deletions');
  }
}
