import { Injectable } from '@nestjs/common';
import { DataSource, type EntityTarget, In, MoreThan, type ObjectLiteral } from 'typeorm';
import { Clock } from '../platform/common/clock';
import { DAY_MS, HOUR_MS, timestamp } from '../platform/common/time';
import { Config } from '../platform/config/config';
import { rowLock } from '../platform/database/row-lock';
import { WriteExecutor, yieldToWriters } from '../platform/database/writes/transactions';
import { Job } from '../platform/jobs/job.decorator';
import { Delivery, DeliveryAttempt } from '../deliveries/delivery.entity';
import { DeliveryLane } from '../deliveries/queue/lane';
import { DeliverySid } from '../deliveries/receipts/receipts';
import { Message, MessageKey } from './message.entity';

/** Rows per transaction, to keep locks short. */
const MESSAGES_PER_BATCH = 100;
const DELIVERIES_PER_BATCH = 200;
const ROWS_PER_BATCH = 500;

const MESSAGE_FINISHED =
  "NOT EXISTS (SELECT 1 FROM deliveries other WHERE other.message_id = deliveries.message_id AND other.status = 'pending')";
const MESSAGE_UNUSED = 'NOT EXISTS (SELECT 1 FROM deliveries WHERE message_id = messages.id)';
// The next delivery recreates a deleted lane. Slow lanes are kept longer, so that their receivers are still treated as slow.
const LANE_IDLE = 'is_slow IN (0, 1) AND available IS NULL AND paused_until < :now AND last_claim < :now - is_slow * :keepMs';
// Receipts whose delivery is unknown after a day: another system sent the message, or the response with its sid was lost.
const RECEIPT_UNMATCHED = 'delivery_id IS NULL AND datetime < :yesterday';

/**
 * Deletes deliveries finished over DELIVERY_KEEP_DAYS ago whose message has none pending, messages without deliveries, idle lanes, expired
 * dedup keys and unmatched receipts.
 */
@Injectable()
export class Retention {
  constructor(
    private readonly dataSource: DataSource,
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
    const messages = this.dataSource.getRepository(Message);
    for (let last = 0; ;) {
      signal.throwIfAborted();
      const select = { id: true, datetime: true };
      const batch = await messages.find({ select, where: { id: MoreThan(last) }, order: { id: 'ASC' }, take: MESSAGES_PER_BATCH });
      const old = batch.filter(({ datetime }) => datetime < before).map(({ id }) => id);
      if (old.length > 0) await this.deleteMessages(old, before);
      if (batch.length < MESSAGES_PER_BATCH || old.length === 0) break;
      last = batch[batch.length - 1].id;
    }
    const times = { now, keepMs, yesterday: timestamp(now - DAY_MS) };
    await this.deleteAll(DeliveryLane, 'lane', LANE_IDLE, times, signal);
    await this.deleteAll(MessageKey, 'key_hash', 'until < :now', times, signal);
    await this.deleteAll(DeliverySid, 'sid', RECEIPT_UNMATCHED, times, signal);
  }

  /** Deletes in batches. Checks the condition again, since a row may have changed since it was found. */
  private async deleteAll(entity: EntityTarget<ObjectLiteral>, key: string, condition: string, values: object, signal: AbortSignal) {
    for (let count = ROWS_PER_BATCH; count === ROWS_PER_BATCH;) {
      signal.throwIfAborted();
      const found = await this.dataSource.manager
        .createQueryBuilder(entity, 'found')
        .where(condition, values)
        .limit(ROWS_PER_BATCH)
        .getMany();
      count = found.length;
      if (count === 0) return;
      const keys = found.map((row) => row[key] as string);
      await this.executor.run(({ manager }) => {
        const query = manager.createQueryBuilder().delete().from(entity).where(condition, values);
        return query.andWhere(`${key} IN (:...keys)`, { keys }).callListeners(false).execute();
      });
    }
  }

  private async deleteMessages(ids: readonly number[], before: string): Promise<void> {
    const finished = `COALESCE(last_datetime, datetime) < '${before}' AND ${MESSAGE_FINISHED}`;
    const deliveries = this.dataSource.manager.createQueryBuilder(Delivery, 'deliveries').select('deliveries.id');
    deliveries
      .where({ message_id: In(ids) })
      .andWhere(finished)
      .limit(DELIVERIES_PER_BATCH);
    for (let count = DELIVERIES_PER_BATCH; count === DELIVERIES_PER_BATCH;) {
      const found = (await deliveries.getMany()).map(({ id }) => id);
      count = found.length;
      if (count > 0) await this.delete(Delivery, 'deliveries', found, finished);
    }
    await this.delete(Message, 'messages', ids, MESSAGE_UNUSED);
  }

  /** Deletes the rows that still meet the condition: a delivery may have been retried since it was found. */
  private async delete(entity: EntityTarget<Delivery | Message>, table: string, ids: readonly number[], condition: string): Promise<void> {
    await this.executor.run(async (transaction) => {
      const { manager } = transaction;
      const query = manager.createQueryBuilder(entity, table).select([`${table}.id`, `${table}.account_id`]);
      if (rowLock(manager)) query.setLock('pessimistic_write');
      const rows = await query
        .where({ id: In(ids) })
        .andWhere(condition)
        .getMany();
      if (rows.length === 0) return;
      const among = In(rows.map(({ id }) => id));
      if (entity === Delivery) await manager.delete(DeliveryAttempt, { delivery_id: among });
      await manager.createQueryBuilder().delete().from(entity).where({ id: among }).callListeners(false).execute();
      const counts = new Map<number, number>();
      for (const { account_id } of rows) counts.set(account_id, (counts.get(account_id) ?? 0) + 1);
      const sorted = [...counts].sort(([a], [b]) => a - b); // in a fixed order, so that transactions can't deadlock
      for (const [accountId, deleted] of sorted) await transaction.changed(accountId, { [table]: { deleted } });
    });
    await yieldToWriters();
  }
}
