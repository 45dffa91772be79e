import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions, type TableOptions } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { flag, generatedId, index, integer, nullable, reference, text, unique, varchar } from './columns';

const milliseconds = (name: string): TableColumnOptions => ({ name, type: 'bigint' });

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
      milliseconds('begun'),
      integer('looks'),
      nullable(milliseconds('checked')),
      nullable(milliseconds('due')),
      integer('misses'),
      nullable(milliseconds('last_miss')),
      text('problems'),
    ],
    foreignKeys: [reference('account_id', 'accounts'), { ...reference('domain_id', 'domains'), onDelete: 'CASCADE' }],
    indices: [unique('domain_id'), index('account_id', 'due'), index('due')],
  },
  { name: 'verification_keys', columns: [{ ...integer('id'), isPrimary: true }, text('secret')] },
  {
    name: 'domain_changes',
    columns: [generatedId(), varchar('host', 253), nullable(milliseconds('sequence')), milliseconds('created')],
    indices: [index('sequence'), index('created')],
  },
  { name: 'domain_change_sequences', columns: [{ ...integer('id'), isPrimary: true }, milliseconds('last')] },
];

/** Existing domains are looked up within an hour, not all at once. */
const SPREAD_MS = 60 * 60 * 1_000;
const STEP_MS = 7_919; // a prime: neighbours lie apart

export class DomainVerifications1795430000000 implements MigrationInterface {
  name = 'DomainVerifications1795430000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const options of TABLES) await runner.createTable(new Table({ ...options, engine: MYSQL_TABLE }));
    const now = Date.now();
    await runner.query(
      `INSERT INTO domain_verifications (account_id, domain_id, host, status, is_by_operator, begun, looks, due, misses, problems)
       SELECT account_id, id, host, 'pending', 0, ?, 0, ? + (id * ${STEP_MS}) % ${SPREAD_MS}, 0, '[]' FROM domains`,
      [now, now],
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of [...TABLES].reverse()) await runner.dropTable(name);
  }
}
