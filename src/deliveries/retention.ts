import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { DAY_MS, HOUR_MS, timestamp } from '../common/time';
import { Config } from '../config/config';
import { Dialect, type RowValues, type SqlExecutor } from '../database/dialect';
import { type Changes, countChanges } from '../database/lists/list-changes';
import { inList } from '../database/value-lists';
import { WriteExecutor, yieldToWriters } from '../database/writes/transactions';
import { Job } from '../jobs/job.decorator';

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
export class Retention {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Ids ascend with time, so the oldest messages come first. */
  @Job({ name: 'delivery-retention', everyMs: HOUR_MS })
  async sweep(signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const before = timestamp(new Date(now - this.config.deliveries.keepDays * DAY_MS));
    for (let last = 0; ;) {
      signal.throwIfAborted();
      const batch = await this.dialect.read(NEXT_MESSAGES, [last]);
      const old = batch.filter(([, , datetime]) => String(datetime) < before);
      if (old.length > 0) await this.deleteOf(old, before);
      if (batch.length < MESSAGES || old.length === 0) break;
      last = Number(batch[batch.length - 1][0]);
    }
    await this.deleteIdleLanes(now, signal);
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

  /** They come back with the next delivery. */
  private async deleteIdleLanes(now: number, signal: AbortSignal): Promise<void> {
    const keepMs = this.config.deliveries.keepDays * DAY_MS;
    for (const values of [
      [0, now, now],
      [1, now, now - keepMs], // what is known to be slow is worth remembering
    ]) {
      let lanes = BATCH_OF_LANES;
      while (lanes === BATCH_OF_LANES) {
        signal.throwIfAborted();
        lanes = await this.executor.runWithRetries(async (statements) => (await statements.write(DELETE_IDLE_LANES, values)).affected);
      }
    }
  }
}
