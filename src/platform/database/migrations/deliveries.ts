import { type MigrationInterface, type QueryRunner, TableIndex, type TableOptions } from 'typeorm';
import {
  bigint,
  createTables,
  flag,
  generatedId,
  index,
  integer,
  key,
  NewTables,
  nullable,
  reference,
  text,
  time,
  varchar,
} from './columns';

const SIGNING_SECRETS: TableOptions = {
  name: 'signing_secrets',
  columns: [generatedId(), integer('account_id'), integer('handler_id'), text('secret'), time('replaced_datetime', true), time('datetime')],
  foreignKeys: [reference('account_id', 'accounts'), { ...reference('handler_id', 'notification_handlers'), onDelete: 'CASCADE' }],
  indices: [index('account_id', 'id'), index('handler_id')],
};

export class SigningSecrets1795410000000 extends NewTables {
  protected tables = [SIGNING_SECRETS];
}

const accountId = integer('account_id');
const ofAccount = reference('account_id', 'accounts');

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
      nullable(bigint('next_attempt')),
      nullable(varchar('lease', 36)),
      nullable(bigint('begun')),
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
      nullable(bigint('available')),
      bigint('paused_until'),
      flag('is_slow'),
      bigint('last_claim'),
    ],
    indices: [index('available', 'account_id')],
  },
  {
    name: 'delivery_counts',
    columns: [key(accountId), key(varchar('type', 32)), key(varchar('day', 10)), integer('number')],
  },
  {
    name: 'minute_limits',
    columns: [key(accountId), key(varchar('action', 32)), bigint('started'), integer('number')],
  },
];

export class Deliveries1795420000000 extends NewTables {
  protected tables = TABLES;
}

const BEFORE = new TableIndex({ columnNames: ['available', 'account_id'] });
const BY_SPEED = new TableIndex({ columnNames: ['is_slow', 'available'] });
const OF_ACCOUNT = new TableIndex({ columnNames: ['account_id', 'is_slow', 'available'] });

/** Adds how long a lane's last attempt took, and indexes to find due lanes by speed. Existing slow lanes have timed out: they get 10 s. */
export class LaneSpeeds1795452000000 implements MigrationInterface {
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

const INSTALLATIONS: TableOptions = { name: 'installations', columns: [key(integer('id')), varchar('part', 16)] };
const BY_OUTCOME = new TableIndex({ columnNames: ['account_id', 'outcome'] });

/**
 * Adds the installation, which distinguishes a restored database's deliveries from earlier ones; each delivery's last outcome; and a
 * message's trace.
 */
export class Operations1795470000000 implements MigrationInterface {
  derived = ['installations', 'deliveries.outcome'];

  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, [INSTALLATIONS]);
    await runner.query('ALTER TABLE deliveries ADD COLUMN part varchar(16)');
    await runner.query('ALTER TABLE deliveries ADD COLUMN outcome varchar(32)');
    await runner.query('ALTER TABLE messages ADD COLUMN traceparent varchar(55)');
    await runner.createIndex('deliveries', BY_OUTCOME);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('deliveries', BY_OUTCOME);
    await runner.query('ALTER TABLE messages DROP COLUMN traceparent');
    await runner.query('ALTER TABLE deliveries DROP COLUMN outcome');
    await runner.query('ALTER TABLE deliveries DROP COLUMN part');
    await runner.dropTable('installations');
  }
}

const BY_EXPIRY = new TableIndex({ columnNames: ['expires_at'] });
const MESSAGE_KEYS: TableOptions = {
  name: 'message_keys',
  columns: [key(varchar('key_hash', 64)), integer('account_id'), integer('message_id'), bigint('until')],
  indices: [index('account_id'), index('until')],
};

/** Adds columns for messages that are sent later, expire, are cancelled, or have a `dedup_key`. */
export class MessageTimes1795500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['messages', 'deliveries']) {
      for (const column of ['send_at', 'expires_at']) await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} bigint`);
    }
    await runner.query('ALTER TABLE messages ADD COLUMN repeats integer NOT NULL DEFAULT 0');
    await runner.query('ALTER TABLE deliveries ADD COLUMN cancelled_by integer');
    await runner.createIndex('deliveries', BY_EXPIRY);
    await createTables(runner, [MESSAGE_KEYS]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('message_keys');
    await runner.dropIndex('deliveries', BY_EXPIRY);
    await runner.query('ALTER TABLE deliveries DROP COLUMN cancelled_by');
    await runner.query('ALTER TABLE messages DROP COLUMN repeats');
    for (const table of ['deliveries', 'messages']) {
      for (const column of ['expires_at', 'send_at']) await runner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    }
  }
}

const RECEIPTS: TableOptions = {
  name: 'receipts',
  columns: [key(varchar('sid', 64)), nullable(integer('delivery_id')), nullable(varchar('receipt', 255)), time('datetime')],
  foreignKeys: [{ ...reference('delivery_id', 'deliveries'), onDelete: 'CASCADE' }],
  indices: [index('delivery_id', 'datetime')],
};

/** Receipts: the status of messages and calls that Twilio reports. */
export class Receipts1795510000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE deliveries ADD COLUMN receipt varchar(255)');
    await createTables(runner, [RECEIPTS]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('receipts');
    await runner.query('ALTER TABLE deliveries DROP COLUMN receipt');
  }
}

const KEY = [integer('account_id'), varchar('kind', 8), varchar('hour', 13), varchar('value', 32), integer('shard')];
const STATISTICS: TableOptions = { name: 'delivery_statistics', columns: [...KEY.map(key), bigint('number')] };
const VALUES = { status: 'status', outcome: "COALESCE(outcome, '')", handler: 'handler_id' };

/** Counts of deliveries per hour. A job counts the deliveries that processes of the previous version write. */
export class DeliveryStatistics1795530000000 implements MigrationInterface {
  derived = ['delivery_statistics'];

  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, [STATISTICS]);
    for (const [kind, value] of Object.entries(VALUES)) {
      const counted = `SELECT account_id, '${kind}', SUBSTR(datetime, 1, 13), ${value}, 0, COUNT(*) FROM deliveries`;
      await runner.query(`INSERT INTO delivery_statistics ${counted} GROUP BY account_id, SUBSTR(datetime, 1, 13), ${value}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('delivery_statistics');
  }
}
