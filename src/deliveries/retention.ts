import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock';
import { DAY_MS, HOUR_MS, timestamp } from '../platform/common/time';
import { Config } from '../platform/config/config';
import { Dialect, type Values } from '../platform/database/dialect';
import { countChanges } from '../platform/database/lists/list-changes';
import { inList } from '../platform/database/value-lists';
import { WriteExecutor, yieldToWriters } from '../platform/database/writes/transactions';
import { Job } from '../platform/jobs/job.decorator';

/** Rows per transaction, to keep locks short. */
const MESSAGES = 100;
const DELIVERIES = 200;
const ROWS = 500;

const NEXT_MESSAGES = `SELECT id, datetime FROM messages WHERE id > ? ORDER BY id LIMIT ${MESSAGES}`;
const FINISHED = `status <> 'pending' AND COALESCE(last_datetime, datetime) < ?`;
const UNUSED = 'NOT EXISTS (SELECT 1 FROM deliveries WHERE message_id = messages.id)';
/** Deletes deliveries finished over DELIVERY_KEEP_DAYS ago, messages without any, idle lanes, expired dedup keys and unmatched receipts. */
@Injectable()
export class Retention {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Ids ascend with time, so the first batch without an old message is the last. */
  @Job({ name: 'delivery-retention', everyMs: HOUR_MS })
  async sweep(signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const keepMs = this.config.deliveries.keepDays * DAY_MS;
    const before = timestamp(now - keepMs);
    for (let last = 0; ;) {
      signal.throwIfAborted();
      const batch = await this.dialect.read<[id: number, datetime: string]>(NEXT_MESSAGES, [last]);
      const old = batch.filter(([, datetime]) => datetime < before).map(([id]) => id);
      if (old.length > 0) await this.deleteMessages(old, before);
      if (batch.length < MESSAGES || old.length === 0) break;
      [last] = batch[batch.length - 1];
    }
    // The next delivery recreates a deleted lane. Slow ones are kept longer, so that their receiver is still treated as slow.
    const isIdle = 'is_slow IN (0, 1) AND available IS NULL AND paused_until < ? AND last_claim < ? - is_slow * ?';
    await this.deleteAll('delivery_lanes', 'lane', isIdle, [now, now, keepMs], signal);
    await this.deleteAll('message_keys', 'key_hash', 'until < ?', [now], signal);
    // Receipts whose delivery is unknown after a day: another system sent the message, or the response with its sid was lost.
    await this.deleteAll('receipts', 'sid', 'delivery_id IS NULL AND datetime < ?', [timestamp(now - DAY_MS)], signal);
  }

  /** In batches. MySQL allows LIMIT in an IN subquery only inside a derived table. */
  private async deleteAll(table: string, key: string, condition: string, values: Values, signal: AbortSignal): Promise<void> {
    const found = `SELECT ${key} FROM (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${ROWS}) found`;
    const sql = `DELETE FROM ${table} WHERE ${key} IN (${found})`;
    for (let deleted = ROWS; deleted === ROWS;) {
      signal.throwIfAborted();
      ({ affected: deleted } = await this.executor.run((statements) => statements.write(sql, values)));
    }
  }

  private async deleteMessages(ids: readonly number[], before: string): Promise<void> {
    const { sql, values } = inList(ids);
    const find = `SELECT id FROM deliveries WHERE message_id IN ${sql} AND ${FINISHED} LIMIT ${DELIVERIES}`;
    for (let count = DELIVERIES; count === DELIVERIES;) {
      const finished = await this.dialect.read<[id: number]>(find, [...values, before], { table: 'deliveries', accountId: null });
      count = finished.length;
      if (count > 0) await this.delete('deliveries', finished.flat(), FINISHED, [before]);
    }
    await this.delete('messages', ids, UNUSED, []);
  }

  /** Deletes the rows that still meet the condition: a delivery may have been retried since it was found. */
  private async delete(table: 'deliveries' | 'messages', ids: readonly number[], condition: string, given: Values): Promise<void> {
    await this.executor.run(async (statements) => {
      const found = inList(ids);
      const lock = `SELECT id, account_id FROM ${table} WHERE id IN ${found.sql} AND ${condition}${this.dialect.sql.forUpdate}`;
      const rows = await statements.read<[id: number, accountId: number]>(lock, [...found.values, ...given]);
      if (rows.length === 0) return;
      const { sql, values } = inList(rows.map(([id]) => id));
      if (table === 'deliveries') await statements.write(`DELETE FROM delivery_attempts WHERE delivery_id IN ${sql}`, values);
      await statements.write(`DELETE FROM ${table} WHERE id IN ${sql}`, values);
      const counts = new Map<number, number>();
      for (const [, accountId] of rows) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
      const sorted = [...counts].sort(([a], [b]) => a - b); // in a fixed order, so that transactions can't deadlock
      for (const [accountId, deleted] of sorted) await countChanges(this.dialect, statements, accountId, { [table]: { deleted } });
    });
    await yieldToWriters();
  }
}
