import type { MigrationInterface, QueryRunner } from 'typeorm';

/** 64-bit ids on MySQL, which copies the table; on SQLite they have always been 64-bit. */
export class AuditIds1795323600000 implements MigrationInterface {
  name = 'AuditIds1795323600000';

  up(runner: QueryRunner): Promise<void> {
    return setType(runner, 'bigint unsigned');
  }

  /** Fails if any id exceeds 32 bits. */
  down(runner: QueryRunner): Promise<void> {
    return setType(runner, 'int unsigned');
  }
}

/** In plain SQL: TypeORM would drop the column and add another. */
async function setType(runner: QueryRunner, type: string): Promise<void> {
  if (runner.dataSource.options.type === 'mysql') await runner.query(`ALTER TABLE audit MODIFY id ${type} NOT NULL AUTO_INCREMENT`);
}
