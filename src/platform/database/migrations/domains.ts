import type { MigrationInterface, QueryRunner, TableOptions } from 'typeorm';
import {
  bigint,
  createTables,
  dropTables,
  flag,
  generatedId,
  index,
  integer,
  key,
  nullable,
  reference,
  text,
  unique,
  varchar,
} from './columns';

const TABLES: TableOptions[] = [
  {
    name: 'domain_verifications',
    columns: [
      generatedId(),
      integer('account_id'),
      integer('domain_id'),
      varchar('host', 253),
      varchar('status', 8),
      flag('is_by_operator'),
      bigint('begun'),
      integer('looks'),
      nullable(bigint('checked')),
      nullable(bigint('due')),
      integer('misses'),
      nullable(bigint('last_miss')),
      text('problems'),
    ],
    foreignKeys: [reference('account_id', 'accounts'), { ...reference('domain_id', 'domains'), onDelete: 'CASCADE' }],
    indices: [unique('domain_id'), index('account_id', 'due'), index('due')],
  },
  { name: 'verification_keys', columns: [key(integer('id')), text('secret')] },
  {
    name: 'domain_changes',
    columns: [generatedId(), varchar('host', 253), nullable(bigint('sequence')), bigint('created')],
    indices: [index('sequence'), index('created')],
  },
  { name: 'domain_change_sequences', columns: [key(integer('id')), bigint('last')] },
];

/** Period over which the first DNS checks of existing domains are spread. */
const SPREAD_MS = 60 * 60 * 1_000;
const STEP_MS = 7_919; // a prime, so that consecutive ids are far apart

export class DomainVerifications1795430000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, TABLES);
    const now = Date.now();
    await runner.query(
      `INSERT INTO domain_verifications (account_id, domain_id, host, status, is_by_operator, begun, looks, due, misses, problems)
       SELECT account_id, id, host, 'pending', 0, ?, 0, ? + (id * ${STEP_MS}) % ${SPREAD_MS}, 0, '[]' FROM domains`,
      [now, now],
    );
  }

  down(runner: QueryRunner): Promise<void> {
    return dropTables(runner, TABLES);
  }
}

/** Distinguishes domains that have lost their proof of ownership from those that never had one. */
export class LostProofs1795520000000 implements MigrationInterface {
  derived = ['domain_verifications.lost'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE domain_verifications ADD COLUMN lost bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE domain_verifications DROP COLUMN lost');
  }
}
