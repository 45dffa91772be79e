import { Injectable } from '@nestjs/common';
import { HAS_USABLE_HANDLER } from '../notification-handlers/enabled-handlers';
import { Clock } from '../platform/common/clock';
import { RequestError } from '../platform/common/errors';
import type { WriteContext } from '../platform/common/write-context';
import { Config } from '../platform/config/config';
import { Dialect, type Values } from '../platform/database/dialect';
import { accountColumn, conditionsOf, type Filter } from '../platform/database/records/selection';
import { inList } from '../platform/database/value-lists';
import { type Transaction, WriteExecutor, yieldToWriters } from '../platform/database/writes/transactions';
import { DeliveriesService } from './deliveries.service';
import { DELIVERY_FILTERS, type RetryCounts, type RetryDeliveries } from './delivery.dto';
import { Enqueuer } from './queue/enqueuer';
import { obsoleteCondition } from './queue/obsolete-deliveries';

/** Deliveries retried per call, which then takes a few seconds at most. */
const MAX_RETRIED = 1_000;
/** Deliveries retried per transaction, to keep locks short. */
const DELIVERIES_PER_BATCH = 100;
/** SQL condition on `deliveries`: the message has not expired. Its parameter is the current time. */
const IS_UNEXPIRED = 'EXISTS (SELECT 1 FROM messages WHERE id = message_id AND (expires_at IS NULL OR expires_at > ?))';

/** Retries failed deliveries, for API callers and for the operator. */
@Injectable()
export class DeliveryRetries {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly enqueuer: Enqueuer,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Makes a failed delivery due now, and restarts its retry schedule. @throws RecordNotFound, StaleVersion, RequestError 409 */
  retry(context: WriteContext, id: number): Promise<number> {
    return this.executor.runOnce(context, async (transaction) => {
      await this.lockWaitingMessages(transaction, [id]);
      const { status } = await this.deliveries.lock(transaction, context, id);
      if (status !== 'failed')
        throw RequestError.of('delivery_not_failed', `Only a failed delivery can be retried; this one is ${status}.`);
      if (!(await this.meets(transaction, IS_UNEXPIRED, [id, this.clock.now()])))
        throw RequestError.of('delivery_expired', 'The message of this delivery has expired: send another one.');
      if (await this.meets(transaction, obsoleteCondition(this.config), [id]))
        throw RequestError.of(
          'delivery_obsolete',
          'The message of this delivery has been acknowledged, or has got through, so it is not sent again.',
        );
      if (!(await this.meets(transaction, HAS_USABLE_HANDLER, [id])))
        throw RequestError.of('handler_unavailable', 'The handler of this delivery is deleted, disabled, or of another type now.');
      await this.enqueuer.retry(transaction, context, [id]);
      return id;
    });
  }

  /**
   * Retries up to MAX_RETRIED matching deliveries, passing over those that can't be retried, so that repeated calls reach all the others.
   * `skipped` counts the ones passed over, up to a total of MAX_RETRIED with `retried`.
   * @throws RequestError 400 without a filter
   */
  async retryMatching(context: WriteContext, { filters }: RetryDeliveries): Promise<RetryCounts> {
    if (filters.length === 0)
      throw RequestError.of('missing_parameter', `At least one of these is required: ${Object.keys(DELIVERY_FILTERS).join(', ')}.`);
    const list = { table: 'deliveries', accountId: context.accountId };
    const conditions = conditionsOf(filters);
    const failed = `FROM deliveries WHERE ${accountColumn(filters)} = ? AND status = 'failed'${conditions.sql}`;
    const values = [context.accountId, ...conditions.values, this.clock.now()];
    const find = `SELECT id ${failed} AND ${this.retriableCondition} ORDER BY id LIMIT ${MAX_RETRIED}`;
    const found = (await this.dialect.read<[id: number]>(find, values, list)).flat();
    const count = `SELECT COUNT(*) FROM (SELECT id ${failed} AND NOT ${this.retriableCondition} LIMIT ${MAX_RETRIED - found.length}) others`;
    const [[others]] = await this.dialect.read<[count: number]>(count, values, list);
    const { retried, skipped } = await this.retryAll(context, found, filters);
    return { retried, skipped: skipped + others };
  }

  /** Retries in batches; an interruption keeps those committed. Neither retries nor counts deliveries that no longer are failed or match. */
  async retryAll(context: WriteContext, ids: readonly number[], filters: readonly Filter[]): Promise<RetryCounts> {
    const counts = { retried: 0, skipped: 0 };
    for (let start = 0; start < ids.length; start += DELIVERIES_PER_BATCH) {
      if (start > 0) await yieldToWriters();
      const { retried, skipped } = await this.retryBatch(context, ids.slice(start, start + DELIVERIES_PER_BATCH), filters);
      counts.retried += retried;
      counts.skipped += skipped;
    }
    return counts;
  }

  /** Locks deliveries in the order of their ids, and lanes after them, so that concurrent retries can't deadlock. */
  private retryBatch(context: WriteContext, ids: readonly number[], filters: readonly Filter[]): Promise<RetryCounts> {
    const [among, conditions] = [inList(ids), conditionsOf(filters)];
    const find = `SELECT id, ${this.retriableCondition} FROM deliveries WHERE id IN ${among.sql} AND status = 'failed'${conditions.sql}`;
    return this.executor.run(async (transaction) => {
      await this.lockWaitingMessages(transaction, ids);
      const values = [this.clock.now(), ...among.values, ...conditions.values];
      type Row = [id: number, isRetriable: number];
      const failed = await transaction.read<Row>(`${find} ORDER BY id${this.dialect.sql.forUpdate}`, values);
      const usable = failed.filter(([, isRetriable]) => isRetriable === 1).map(([id]) => id);
      await this.enqueuer.retry(transaction, context, usable);
      return { retried: usable.length, skipped: failed.length - usable.length };
    });
  }

  private get retriableCondition(): string {
    return `(${HAS_USABLE_HANDLER} AND ${IS_UNEXPIRED} AND NOT ${obsoleteCondition(this.config)})`;
  }

  /** Locks those of the deliveries' messages that have `until`, so that their wait can't end between the check and the retry. */
  private async lockWaitingMessages(transaction: Transaction, ids: readonly number[]): Promise<void> {
    const { sql, values } = inList(ids);
    const find = `SELECT id FROM messages WHERE until IS NOT NULL AND id IN (SELECT message_id FROM deliveries WHERE id IN ${sql}) ORDER BY id`;
    await transaction.read(`${find}${this.dialect.sql.forUpdate}`, values);
  }

  private async meets(transaction: Transaction, condition: string, values: Values): Promise<boolean> {
    return (await transaction.read(`SELECT 1 FROM deliveries WHERE id = ? AND ${condition}`, values)).length > 0;
  }
}
