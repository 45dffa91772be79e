import { randomBytes } from 'node:crypto';
import { type MigrationInterface, type QueryRunner, TableIndex, type TableOptions } from 'typeorm';
import { bigint, createTables, dropTables, index, integer, key, reference, text, varchar } from './columns';

const BY_NUMBER = new TableIndex({ columnNames: ['number'] });
const BY_ACCOUNT = new TableIndex({ columnNames: ['account_id', 'number'] });
const BY_ID = new TableIndex({ columnNames: ['account_id', 'id'] });
const UNLOGGED = new TableIndex({ columnNames: ['is_logged'] });
const SECRET_BYTES = 32;
const EPOCH_BYTES = 5;
const TABLES: TableOptions[] = [
  { name: 'event_log', columns: [key(integer('id')), bigint('last'), bigint('floor'), varchar('secret', 64)] },
  { name: 'event_epochs', columns: [key(varchar('name', 16)), bigint('start')] },
  { name: 'event_cursors', columns: [key(integer('account_id')), bigint('number'), bigint('event_id')] },
  {
    name: 'handler_events',
    columns: [key(integer('handler_id')), integer('account_id'), text('types'), bigint('since')],
    foreignKeys: [{ ...reference('handler_id', 'notification_handlers'), onDelete: 'CASCADE' }],
    indices: [index('account_id')],
  },
];

/**
 * Turns the audit into a log of events, which also replaces `domain_changes`. That table stays for the previous version's processes, which
 * read it; their writes to it are copied to the log. Existing rows get the number 0 and are not in the feed.
 */
export class Events1795490000000 implements MigrationInterface {
  derived = [
    'event_log',
    'event_epochs',
    'event_cursors',
    'audit',
    'audit.number',
    'audit.is_audited',
    'audit.is_by_service',
    'domain_changes.is_logged',
  ];

  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, TABLES);
    const secret = randomBytes(SECRET_BYTES).toString('hex');
    await runner.query('INSERT INTO event_log (id, last, floor, secret) VALUES (1, 0, 0, ?)', [secret]);
    await runner.query('INSERT INTO event_epochs (name, start) VALUES (?, 1)', [randomBytes(EPOCH_BYTES).toString('hex')]);

    await addFilled(runner, 'audit', 'number bigint', 0);
    await addFilled(runner, 'domain_changes', `is_logged ${FLAG}`, 1);
    await runner.query(`ALTER TABLE audit ADD COLUMN is_audited ${FLAG} NOT NULL DEFAULT 1`);
    await runner.query(`ALTER TABLE audit ADD COLUMN is_by_service ${FLAG} NOT NULL DEFAULT 0`);
    await runner.query('ALTER TABLE audit ADD COLUMN data text');
    await runner.query('ALTER TABLE audit ADD COLUMN host varchar(253)');
    await runner.query('ALTER TABLE messages ADD COLUMN event text');
    await runner.query('ALTER TABLE deliveries ADD COLUMN event_id varchar(40)');
    await runner.createIndex('audit', BY_NUMBER);
    await runner.createIndex('audit', BY_ACCOUNT);
    await runner.dropIndex('audit', BY_ID); // rows are now read in the order of numbers
    await runner.createIndex('domain_changes', UNLOGGED);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('domain_changes', UNLOGGED);
    await runner.createIndex('audit', BY_ID);
    await runner.dropIndex('audit', BY_ACCOUNT);
    await runner.dropIndex('audit', BY_NUMBER);
    await runner.query('ALTER TABLE deliveries DROP COLUMN event_id');
    await runner.query('ALTER TABLE messages DROP COLUMN event');
    await runner.query('DELETE FROM audit WHERE is_audited = 0');
    for (const column of ['host', 'data', 'is_by_service', 'is_audited', 'number']) {
      await runner.query(`ALTER TABLE audit DROP COLUMN ${column}`);
    }
    await runner.query('ALTER TABLE domain_changes DROP COLUMN is_logged');
    await dropTables(runner, TABLES);
  }
}

/** TypeORM's type for booleans, on both databases. */
const FLAG = 'boolean';

/**
 * Adds a column with a value in the existing rows and null as its default. On MySQL, the value comes from a temporary default: that takes
 * no time (INSTANT), and locks no rows.
 */
async function addFilled(runner: QueryRunner, table: string, column: string, value: number): Promise<void> {
  const [name] = column.split(' ');
  if (runner.dataSource.options.type === 'mysql') {
    await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} NULL DEFAULT ${value}`);
    await runner.query(`ALTER TABLE ${table} ALTER COLUMN ${name} SET DEFAULT NULL`);
  } else {
    await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column}`);
    await runner.query(`UPDATE ${table} SET ${name} = ${value}`);
  }
}
