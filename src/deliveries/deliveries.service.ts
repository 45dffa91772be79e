import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { Clock } from '../platform/common/clock';
import { type Page, type Versioned } from '../platform/common/records';
import { timestamp } from '../platform/common/time';
import { StaleVersion, type WriteContext } from '../platform/common/write-context';
import { Dialect } from '../platform/database/dialect';
import type { DescribedEvent, EventText } from '../platform/database/events/event-types';
import { versionOf } from '../platform/database/records/record-table';
import { Records } from '../platform/database/records/records';
import { accountColumn, conditionsOf, type Filter } from '../platform/database/records/selection';
import { inList } from '../platform/database/value-lists';
import { type Transaction, WriteExecutor, yieldToWriters } from '../platform/database/writes/transactions';
import { refusal } from '../platform/common/errors';
import { DeliveryTargets } from '../notification-handlers/delivery-targets';
import {
  type AttemptRecord,
  type DeliveryQuery,
  DeliveryRecord,
  type DeliveryWithLog,
  type RetryCounts,
  FILTERS,
  type RetryDeliveries,
} from './delivery.dto';
import { Delivery, DeliveryAttempt, type EndOfMessage } from './delivery.entity';
import { describeDelivery, type DescribedDelivery, reasonOfCancellation } from './delivery-texts';
import type { Until } from './messages/message.entity';
import { DeliveryQueue } from './queue/delivery-queue';
import { HAS_HANDLER } from './queue/withdrawals';
import { parseReceipt } from './receipts/twilio-report';
import { DeliveryWorker } from './sending/delivery-worker';
import { Steps } from './steps/steps';

/** `next_attempt` is in milliseconds since 1970, `receipt` JSON. */
type StoredRecord = Omit<DeliveryRecord, 'next_attempt' | 'receipt'> & { next_attempt: number | null; receipt: string | null };

const LOG_FIELDS = { number: true, datetime: true, duration_ms: true, outcome: true, status: true, detail: true };

/** Deliveries retried per call, which then takes a few seconds at most. */
const MAX_RETRIED = 1_000;
/** Deliveries retried per transaction, to keep locks short. */
const BATCH = 100;
/** Condition: the message has not expired. Its parameter is the current time. */
const IS_LIVE = 'EXISTS (SELECT 1 FROM messages WHERE id = message_id AND (expires_at IS NULL OR expires_at > ?))';

@Injectable()
export class DeliveriesService {
  private readonly table = this.records.table<StoredRecord>(Delivery, DeliveryRecord, {
    countsUpdates: false,
    noun: 'delivery',
    events: ['deliver', 'fail', 'cancel', 'retry', 'receipt'],
    present: async (stored, accountId) => withLog(stored, await this.findLog(this.dataSource.manager, accountId, stored.id)).record,
    describeEvent: (event, stored, accountId) => (stored ? this.describe(event, accountId, stored) : undefined),
  });

  constructor(
    private readonly records: Records,
    private readonly dialect: Dialect,
    private readonly dataSource: DataSource,
    private readonly executor: WriteExecutor,
    private readonly targets: DeliveryTargets,
    private readonly queue: DeliveryQueue,
    private readonly steps: Steps,
    private readonly worker: DeliveryWorker,
    private readonly clock: Clock,
  ) {}

  async findPage(accountId: number, query: DeliveryQuery): Promise<Page<DeliveryRecord>> {
    const page = await this.records.findPage(this.table, accountId, query);
    return page.withRecords(page.records.map(toRecord));
  }

  /** @throws RecordNotFound */
  async find(accountId: number, id: number): Promise<Versioned<DeliveryWithLog>> {
    for (let log = await this.findLog(this.dataSource.manager, accountId, id); ;) {
      const { record: stored } = await this.records.find(this.table, accountId, id);
      const isBehind = stored.attempts > log.length || stored.outcome !== (log.at(-1)?.outcome ?? null);
      const later = isBehind ? await this.findLog(this.dataSource.manager, accountId, id) : log;
      if (later.length === log.length) return withLog(stored, log);
      log = later; // an attempt ended, or the delivery expired, between the reads: read the record again
    }
  }

  /** Makes a failed delivery due now, and restarts its series of waits. @throws RecordNotFound, StaleVersion, Refusal 409 */
  async retry(context: WriteContext, id: number): Promise<number> {
    const { accountId } = context;
    await this.executor.runOnce(context, async (transaction) => {
      await this.lockWaiting(transaction, [id]);
      const { status, handler_id, type } = await this.lock(transaction, context, id);
      const delivery = await transaction.manager.findOneOrFail(Delivery, { where: { id }, relations: { message: true } });
      const { expires_at } = delivery.message;
      if (status !== 'failed') throw refusal('delivery_not_failed', `Only a failed delivery can be retried; this one is ${status}.`);
      if (expires_at !== null && Number(expires_at) <= this.clock.now())
        throw refusal('delivery_expired', 'The message of this delivery has expired: send another one.');
      if (await this.isObsolete(transaction, id))
        throw refusal(
          'delivery_obsolete',
          'The message of this delivery has been acknowledged, or has got through, so it is not sent again.',
        );
      const [handler] = await this.targets.findEnabled(transaction, accountId, 1, [handler_id]);
      if (handler?.type !== type)
        throw refusal('handler_unavailable', 'The handler of this delivery is deleted, disabled, or of another type now.');
      await this.queue.retry(transaction, context, [delivery]);
      return id;
    });
    this.worker.wake();
    return id;
  }

  /**
   * Retries only deliveries that are neither expired nor obsolete and whose handler is available, so that repeated calls reach all of these. `skipped`
   * includes the others, up to what is left of MAX_RETRIED.
   * @throws Refusal 400 without a filter
   */
  async retryMatching(context: WriteContext, { filters }: RetryDeliveries): Promise<RetryCounts> {
    if (filters.length === 0) throw refusal('missing_parameter', `At least one of these is required: ${Object.keys(FILTERS).join(', ')}.`);
    const list = { table: 'deliveries', accountId: context.accountId };
    const conditions = conditionsOf(filters);
    const failed = `FROM deliveries WHERE ${accountColumn(filters)} = ? AND status = 'failed'${conditions.sql}`;
    const values = [context.accountId, ...conditions.values, this.clock.now()];
    const find = `SELECT id ${failed} AND ${this.isRetriable} ORDER BY id LIMIT ${MAX_RETRIED}`;
    const found = (await this.dialect.read<[id: number]>(find, values, list)).flat();
    const count = `SELECT COUNT(*) FROM (SELECT id ${failed} AND NOT ${this.isRetriable} LIMIT ${MAX_RETRIED - found.length}) others`;
    const [[others]] = await this.dialect.read<[count: number]>(count, values, list);
    const { retried, skipped } = await this.retryAll(context, found, filters);
    return { retried, skipped: skipped + others };
  }

  /** Ignores deliveries that are no longer failed or no longer match, and doesn't count them. Committed batches survive an interruption. */
  async retryAll(context: WriteContext, ids: readonly number[], filters: readonly Filter[]): Promise<RetryCounts> {
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

  /** Checks the precondition against the version that `find` returns, which covers the log. */
  private async lock(transaction: Transaction, { precondition, ...context }: WriteContext, id: number): Promise<StoredRecord> {
    const stored = await this.records.lock(transaction, this.table, context, id);
    const log = precondition ? await this.findLog(transaction.manager, context.accountId, id) : [];
    if (precondition && !precondition(withLog(stored, log).version)) throw new StaleVersion();
    return stored;
  }

  /** Locks deliveries in the order of their ids, and lanes after them, so that concurrent retries can't deadlock. */
  private retryBatch(context: WriteContext, ids: readonly number[], filters: readonly Filter[]): Promise<RetryCounts> {
    const [among, conditions] = [inList(ids), conditionsOf(filters)];
    const find = `SELECT id, ${this.isRetriable} FROM deliveries WHERE id IN ${among.sql} AND status = 'failed'${conditions.sql}`;
    return this.executor.run(async (transaction) => {
      await this.lockWaiting(transaction, ids);
      const values = [this.clock.now(), ...among.values, ...conditions.values];
      type Row = [id: number, isRetriable: number];
      const failed = await transaction.read<Row>(`${find} ORDER BY id${this.dialect.sql.forUpdate}`, values);
      const usable = failed.filter(([, isRetriable]) => isRetriable === 1).map(([id]) => id);
      const retried = await transaction.manager.find(Delivery, { where: { id: In(usable) }, order: { id: 'ASC' } });
      await this.queue.retry(transaction, context, retried);
      return { retried: retried.length, skipped: failed.length - retried.length };
    });
  }

  private get isRetriable(): string {
    return `(${HAS_HANDLER} AND ${IS_LIVE} AND NOT ${this.steps.isObsolete})`;
  }

  /** Locks the messages that wait for something: their wait must not end between the check and the retry. */
  private async lockWaiting(transaction: Transaction, ids: readonly number[]): Promise<void> {
    const { sql, values } = inList(ids);
    const find = `SELECT id FROM messages WHERE until IS NOT NULL AND id IN (SELECT message_id FROM deliveries WHERE id IN ${sql}) ORDER BY id`;
    await transaction.read(`${find}${this.dialect.sql.forUpdate}`, values);
  }

  private async isObsolete(transaction: Transaction, id: number): Promise<boolean> {
    return (await transaction.read(`SELECT 1 FROM deliveries WHERE id = ? AND ${this.steps.isObsolete}`, [id])).length > 0;
  }

  private async describe(event: DescribedEvent, accountId: number, { id, type }: StoredRecord): Promise<EventText | undefined> {
    const told = await this.dataSource
      .getRepository(Delivery)
      .createQueryBuilder('delivery')
      .innerJoin('delivery.message', 'message')
      .leftJoin('notification_handlers', 'handler', 'handler.id = delivery.handler_id')
      .select(['message.title AS title', 'message.text AS text', 'message.url AS url', 'handler.name AS handlerName'])
      .addSelect('delivery.cancelled_as', 'end')
      .addSelect('delivery.until', 'until')
      .where({ id })
      .getRawOne<Pick<DescribedDelivery, 'title' | 'text' | 'url' | 'handlerName'> & { end: EndOfMessage | null; until: Until | null }>();
    if (!told) return undefined;
    const log = await this.findLog(this.dataSource.manager, accountId, id);
    const reason = reasonOfCancellation(told.end, told.until);
    return describeDelivery(event.type, { ...told, handlerType: type, reason, log, report: event.data });
  }

  private findLog(manager: EntityManager, accountId: number, id: number): Promise<AttemptRecord[]> {
    const where = { account_id: accountId, delivery_id: id };
    return manager.find(DeliveryAttempt, { select: LOG_FIELDS, where, order: { number: 'ASC', id: 'ASC' } });
  }
}

function withLog(stored: StoredRecord, log: AttemptRecord[]): Versioned<DeliveryWithLog> {
  const record = { ...toRecord(stored), log };
  return { record, version: versionOf(record) };
}

/** Keeps the order of the fields, which responses show. */
function toRecord(stored: StoredRecord): DeliveryRecord {
  const { next_attempt, receipt } = stored;
  const nextAttempt = next_attempt === null ? null : timestamp(next_attempt);
  return { ...stored, next_attempt: nextAttempt, receipt: parseReceipt(receipt) };
}
