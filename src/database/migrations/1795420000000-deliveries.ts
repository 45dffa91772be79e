import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions, type TableOptions } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { flag, generatedId, index, integer, nullable, reference, text, time, varchar } from './columns';

const accountId = integer('account_id');
const ofAccount = reference('account_id', 'accounts');
const milliseconds = (name: string): TableColumnOptions => ({ name, type: 'bigint' });
const key = (column: TableColumnOptions): TableColumnOptions => ({ ...column, isPrimary: true });

const TABLES: TableOptions[] = [
  {
    name: 'messages',
    columns: [generatedId(), accountId, varchar('title', 200), text('text'), varchar('url', 2048), time('datetime')],
    foreignKeys: [ofAccount],
    indices: [index('account_id', 'id')],
  },
  {
    name: 'deliveries',
    columns: [
      generatedId(),
      accountId,
      integer('message_id'),
      integer('handler_id'),
      varchar('type', 32),
      varchar('lane', 64),
      varchar('status', 16),
      integer('attempts'),
      integer('tries'),
      nullable(milliseconds('next_attempt')),
      nullable(varchar('lease', 36)),
      nullable(milliseconds('begun')),
      flag('is_counted'),
      time('last_datetime', true),
      time('datetime'),
    ],
    foreignKeys: [ofAccount, reference('message_id', 'messages')],
    indices: [
      index('account_id', 'id'),
      index('lane', 'lease', 'next_attempt'),
      index('account_id', 'status'),
      index('message_id', 'status'),
      index('handler_id'),
    ],
  },
  {
    name: 'delivery_attempts',
    columns: [
      generatedId(),
      accountId,
      integer('delivery_id'),
      integer('number'),
      time('datetime'),
      integer('duration_ms'),
      varchar('outcome', 32),
      nullable(integer('status')),
      varchar('detail', 255),
    ],
    foreignKeys: [ofAccount, reference('delivery_id', 'deliveries')],
    indices: [index('account_id', 'id'), index('delivery_id')],
  },
  {
    name: 'delivery_lanes',
    columns: [
      accountId,
      key(varchar('lane', 64)),
      nullable(milliseconds('available')),
      milliseconds('paused_until'),
      flag('is_slow'),
      milliseconds('last_claim'),
    ],
    indices: [index('available', 'account_id')],
  },
  {
    name: 'delivery_counts',
    columns: [key(accountId), key(varchar('type', 32)), key(varchar('day', 10)), integer('number')],
  },
  {
    name: 'minute_limits',
    columns: [key(accountId), key(varchar('action', 32)), milliseconds('started'), integer('number')],
  },
];

export class Deliveries1795420000000 implements MigrationInterface {
  name = 'Deliveries1795420000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.createTable(new Table({ ...table, engine: MYSQL_TABLE }));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of TABLES.toReversed()) await runner.dropTable(name);
  }
}
