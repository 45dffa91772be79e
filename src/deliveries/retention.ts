import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../common/clock';
import { timestamp } from '../common/time';
import { Config } from '../config/config';
import { Dialect, type RowValues, type SqlExecutor } from '../database/dialect';
import { type Changes, countChanges } from '../database/lists/list-changes';
import { inList } from '../database/value-lists';
import { WriteExecutor } from '../database/writes/write-executor';
import { yieldToWriters } from '../database/writes/yield-to-writers';

const DAY_MS = 24 * 60 * 60 * 1_000;
const SWEEP_INTERVAL_MS = 60 * 60 * 1_000;
/** Rows per transaction, to keep locks short. */
const MESSAGES = 100;
const DELIVERIES = 200;

const NEXT_MESSAGES = `SELECT id, account_id, datetime FROM messages WHERE id > ? ORDER BY id LIMIT ${MESSAGES}`;
const BATCH_OF_LANES = 500;
/** MySQL allows LIMIT in an IN subquery only inside a derived table. */
const DELETE_IDLE_LANES = `DELETE FROM delivery_lanes WHERE lane IN
  (SELECT lane FROM (SELECT lane FROM delivery_lanes WHERE is_slow = ? AND available IS NULL AND paused_until < ? AND last_claim < ? LIMIT ${BATCH_OF_LANES}) idle)`;
const FINISHED = `status <> 'pending' AND COALESCE(last_datetime, datetime) < ?`;

/** Deletes deliveries that finished more than DELIVERY_KEEP_DAYS ago, and messages that have none left. */
@Injectable()
export class Retention implements OnApplicationShutdown {
  private readonly logger = new Logger(Retention.name);
  private sweeper?: NodeJS.Timeout;
  private isStopped = false;

  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  start(): void {
    const interval = SWEEP_INTERVAL_MS * (0.5 + Math.random()); // spreads the sweeps of processes started together
    this.sweeper = setInterval(() => {
      this.sweep().catch((error: unknown) => this.logger.warn({ message: 'Old deliveries were not deleted.', err: error }));
    }, interval).unref();
  }

  onApplicationShutdown(): void {
    this.isStopped = true;
    clearInterval(this.sweeper);
  }

  /** Ids ascend with time, so the oldest messages come first. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    const before = timestamp(new Date(now - this.config.deliveries.keepDays * DAY_MS));
    for (let last = 0; !this.isStopped;) {
      const batch = await this.dialect.read(NEXT_MESSAGES, [last]);
      const old = batch.filter(([, , datetime]) => String(datetime) < before);
      if (old.length > 0) await this.deleteOf(old, before);
      if (batch.length < MESSAGES || old.length === 0) break;
      last = Number(batch[batch.length - 1][0]);
    }
    await this.deleteCounts(now);
  }

  private async deleteOf(messages: readonly RowValues[], before: string): Promise<void> {
    const { sql, values } = inList(messages.map(([id]) => id));
    const find = `SELECT id, account_id FROM deliveries WHERE message_id IN ${sql} AND ${FINISHED} LIMIT ${DELIVERIES}`;
    for (;;) {
      const finished = await this.dialect.read(find, [...values, before], { table: 'deliveries', accountId: null });
      if (finished.length > 0) await this.executor.runWithRetries((statements) => this.deleteDeliveries(statements, finished, before));
      if (finished.length < DELIVERIES) break;
      await yieldToWriters();
    }
    await this.executor.runWithRetries(async (statements) => {
      const unused = `id IN ${sql} AND NOT EXISTS (SELECT 1 FROM deliveries WHERE message_id = messages.id)`;
      const { affected } = await statements.write(`DELETE FROM messages WHERE ${unused}`, values);
      if (affected > 0) await this.countDeletions(statements, 'messages', messages, () => ({ uncounted: 1 }));
    });
    await yieldToWriters();
  }

  /** Except those that have been retried since they were found. */
  private async deleteDeliveries(statements: SqlExecutor, found: readonly RowValues[], before: string): Promise<void> {
    const candidates = inList(found.map(([id]) => id));
    const lock = `SELECT id, account_id FROM deliveries WHERE id IN ${candidates.sql} AND ${FINISHED}${this.dialect.forUpdate}`;
    const rows = await statements.read(lock, [...candidates.values, before]);
    if (rows.length === 0) return;
    const { sql, values } = inList(rows.map(([id]) => id));
    await statements.write(`DELETE FROM delivery_attempts WHERE delivery_id IN ${sql}`, values);
    await statements.write(`DELETE FROM deliveries WHERE id IN ${sql}`, values);
    await this.countDeletions(statements, 'deliveries', rows, (deleted) => ({ deleted }));
  }

  private async countDeletions(
    statements: SqlExecutor,
    table: string,
    rows: readonly RowValues[],
    changesOf: (count: number) => Changes,
  ): Promise<void> {
    const accounts = rows.map(([, accountId]) => Number(accountId));
    for (const accountId of [...new Set(accounts)].sort((a, b) => a - b)) {
      const count = accounts.filter((each) => each === accountId).length;
      await countChanges(this.dialect, statements, accountId, { [table]: changesOf(count) });
    }
  }

  /** Lanes come back with the next delivery; yesterday's counts are over. */
  private async deleteCounts(now: number): Promise<void> {
    const yesterday = timestamp(new Date(now - DAY_MS)).slice(0, 10);
    const keepMs = this.config.deliveries.keepDays * DAY_MS;
    for (const values of [
      [0, now, now],
      [1, now, now - keepMs], // what is known to be slow is worth remembering
    ]) {
      let lanes = BATCH_OF_LANES;
      while (lanes === BATCH_OF_LANES && !this.isStopped) {
        lanes = await this.executor.runWithRetries(async (statements) => (await statements.write(DELETE_IDLE_LANES, values)).affected);
      }
    }
    await this.executor.runWithRetries(async (statements) => {
      await statements.write('DELETE FROM delivery_counts WHERE day < ?', [yesterday]);
      await statements.write('DELETE FROM minute_limits WHERE started < ?', [now - DAY_MS]);
    });
  }
}
