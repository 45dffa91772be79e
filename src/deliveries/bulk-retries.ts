import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { WriteContext } from '../common/write-context';
import { Dialect } from '../database/dialect';
import { accountColumn, conditionsOf, type Filter } from '../database/records/selection';
import { inList } from '../database/value-lists';
import { WriteExecutor, yieldToWriters } from '../database/writes/transactions';
import { namesOf } from '../http/input/fields';
import { RequestError } from '../http/request-error';
import type { Outcome } from './channels/channel';
import { RetryCounts, RetryDeliveries } from './delivery.dto';
import { DeliveryQueue, HAS_HANDLER } from './queue/delivery-queue';
import { DeliveryWorker } from './sending/delivery-worker';

/** Per call, which then takes a few seconds at most. */
const MAX_RETRIED = 1_000;
/** Per transaction, to keep locks short. */
const BATCH = 100;
/** Parameter: now. */
const IS_LIVE = 'EXISTS (SELECT 1 FROM messages WHERE id = message_id AND (expires_at IS NULL OR expires_at > ?))';
const IS_RETRIABLE = `(${HAS_HANDLER} AND ${IS_LIVE})`;

type Failed = [
  id: number,
  messageId: number,
  handlerId: number,
  type: string,
  outcome: Outcome | null,
  eventId: string | null,
  isRetriable: number,
];

/** Retries failed deliveries of an account, many at once. */
@Injectable()
export class BulkRetries {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly queue: DeliveryQueue,
    private readonly worker: DeliveryWorker,
    private readonly clock: Clock,
  ) {}

  /** Those that have expired or whose handler is unavailable come last, so that repeated calls reach the others. @throws RequestError 400 without a filter */
  async retryMatching(context: WriteContext, { filters }: RetryDeliveries): Promise<RetryCounts> {
    if (filters.length === 0) {
      const names = [...namesOf(RetryDeliveries).optional].join(', ');
      throw RequestError.of('missing_parameter', `At least one of these is required: ${names}.`);
    }
    const list = { table: 'deliveries', accountId: context.accountId };
    const conditions = conditionsOf(filters);
    const failed = `FROM deliveries WHERE ${accountColumn(filters)} = ? AND status = 'failed'${conditions.sql}`;
    const values = [context.accountId, ...conditions.values, this.clock.now()];
    const find = `SELECT id ${failed} AND ${IS_RETRIABLE} ORDER BY id LIMIT ${MAX_RETRIED}`;
    const found = (await this.dialect.read<[id: number]>(find, values, list)).flat();
    const count = `SELECT COUNT(*) FROM (SELECT id ${failed} AND NOT ${IS_RETRIABLE} LIMIT ${MAX_RETRIED - found.length}) others`;
    const [[others]] = await this.dialect.read<[count: number]>(count, values, list);
    const { retried, skipped } = await this.retry(context, found, filters);
    return { retried, skipped: skipped + others };
  }

  /** Skips those that are no longer failed or no longer match. Committed batches survive an interruption. */
  async retry(context: WriteContext, ids: readonly number[], filters: readonly Filter[]): Promise<RetryCounts> {
    const counts = { retried: 0, skipped: 0 };
    for (let start = 0; start < ids.length; start += BATCH) {
      if (start > 0) await yieldToWriters();
      const { retried, skipped } = await this.retryBatch(context, ids.slice(start, start + BATCH), filters);
      counts.retried += retried;
      counts.skipped += skipped;
    }
    this.worker.wake();
    return counts;
  }

  /** Locks deliveries by id, then lanes, as every other transaction does. */
  private retryBatch(context: WriteContext, ids: readonly number[], filters: readonly Filter[]): Promise<RetryCounts> {
    const [among, conditions] = [inList(ids), conditionsOf(filters)];
    const find = `SELECT id, message_id, handler_id, type, outcome, event_id, ${IS_RETRIABLE} FROM deliveries WHERE id IN ${among.sql} AND status = 'failed'${conditions.sql}`;
    return this.executor.run(async (statements) => {
      const lock = `${find} ORDER BY id${this.dialect.sql.forUpdate}`;
      const failed = await statements.read<Failed>(lock, [this.clock.now(), ...among.values, ...conditions.values]);
      const usable = failed.filter(([, , , , , , isRetriable]) => isRetriable === 1);
      const retried = usable.map(([id, messageId, handlerId, type, outcome, eventId]) => {
        return { id, messageId, handlerId, type, outcome, eventId };
      });
      await this.queue.retry(statements, context, retried);
      return { retried: retried.length, skipped: failed.length - retried.length };
    });
  }
}
