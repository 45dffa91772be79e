import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock';
import { type Page, type Versioned } from '../platform/common/records';
import { timestamp } from '../platform/common/time';
import { StaleVersion, type WriteContext } from '../platform/common/write-context';
import { Dialect, type SqlExecutor, type SqlReader } from '../platform/database/dialect';
import type { DescribedEvent, EventText } from '../platform/database/events/event-types';
import { versionOf } from '../platform/database/records/record-table';
import { Records } from '../platform/database/records/records';
import { accountColumn, conditionsOf, type Filter } from '../platform/database/records/selection';
import { inList } from '../platform/database/value-lists';
import { WriteExecutor, yieldToWriters } from '../platform/database/writes/transactions';
import { namesOf } from '../platform/http/input/input.pipe';
import { RequestError } from '../platform/http/request-error';
import { DeliveryTargets } from '../notification-handlers/delivery-targets';
import type { Outcome } from './channels/channel';
import {
  type AttemptRecord,
  type DeliveryQuery,
  DeliveryRecord,
  type DeliveryWithLog,
  type RetryCounts,
  RetryDeliveries,
} from './delivery.dto';
import { Delivery } from './delivery.entity';
import { describeDelivery } from './delivery-texts';
import { DeliveryQueue, HAS_HANDLER } from './queue/delivery-queue';
import { parseReceipt } from './receipts/receipts';
import { DeliveryWorker } from './sending/delivery-worker';

/** `next_attempt` is in milliseconds since 1970, `receipt` JSON. */
type StoredRecord = Omit<DeliveryRecord, 'next_attempt' | 'receipt'> & { next_attempt: number | null; receipt: string | null };
type AttemptRow = [number: number, datetime: string, durationMs: number, outcome: Outcome, status: number | null, detail: string];

const SELECT_LOG = `SELECT number, datetime, duration_ms, outcome, status, detail
  FROM delivery_attempts WHERE account_id = ? AND delivery_id = ? ORDER BY number, id`;

const FIND_CAUSE = `SELECT event_id, messages.expires_at FROM deliveries JOIN messages ON messages.id = message_id WHERE deliveries.id = ?`;
const FIND_MESSAGE = `SELECT title, text, url, handler.name, cancelled_by IS NOT NULL FROM deliveries JOIN messages ON messages.id = message_id
  LEFT JOIN notification_handlers handler ON handler.id = handler_id WHERE deliveries.id = ?`;

/** Deliveries retried per call, which then takes a few seconds at most. */
const MAX_RETRIED = 1_000;
/** Deliveries retried per transaction, to keep locks short. */
const BATCH = 100;
/** Condition: the message has not expired. Its parameter is the current time. */
const IS_LIVE = 'EXISTS (SELECT 1 FROM messages WHERE id = message_id AND (expires_at IS NULL OR expires_at > ?))';
const IS_RETRIABLE = `(${HAS_HANDLER} AND ${IS_LIVE})`;

type FailedRow = [
  id: number,
  messageId: number,
  handlerId: number,
  type: string,
  outcome: Outcome | null,
  eventId: string | null,
  isRetriable: number,
];

@Injectable()
export class DeliveriesService {
  private readonly table = this.records.table<StoredRecord>(Delivery, DeliveryRecord, {
    countsUpdates: false,
    events: ['deliver', 'fail', 'cancel', 'retry', 'receipt'],
    present: async (stored, accountId) => withLog(stored, await this.findLog(this.dialect, accountId, stored.id)).record,
    describeEvent: (event, stored, accountId) => (stored ? this.describe(event, accountId, stored) : undefined),
  });

  constructor(
    private readonly records: Records,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly targets: DeliveryTargets,
    private readonly queue: DeliveryQueue,
    private readonly worker: DeliveryWorker,
    private readonly clock: Clock,
  ) {}

  async findPage(accountId: number, query: DeliveryQuery): Promise<Page<DeliveryRecord>> {
    const { records, total } = await this.records.findPage(this.table, accountId, query);
    return { records: records.map(toRecord), total, request: query };
  }

  /** @throws RecordNotFound */
  async find(accountId: number, id: number): Promise<Versioned<DeliveryWithLog>> {
    for (let log = await this.findLog(this.dialect, accountId, id); ;) {
      const { record: stored } = await this.records.find(this.table, accountId, id);
      const isBehind = stored.attempts > log.length || stored.outcome !== (log.at(-1)?.outcome ?? null);
      const later = isBehind ? await this.findLog(this.dialect, accountId, id) : log;
      if (later.length === log.length) return withLog(stored, log);
      log = later; // an attempt ended, or the delivery expired, between the reads: read the record again
    }
  }

  /** Makes a failed delivery due now, and restarts its series of waits. @throws RecordNotFound, StaleVersion, RequestError 409 */
  async retry(context: WriteContext, id: number): Promise<number> {
    const { accountId } = context;
    await this.executor.runOnce(context, async (statements) => {
      const { status, outcome, message_id, handler_id: handlerId, type } = await this.lock(statements, context, id);
      const [[eventId, expiresAt]] = await statements.read<[string | null, number | null]>(FIND_CAUSE, [id]);
      if (status !== 'failed')
        throw RequestError.of('delivery_not_failed', `Only a failed delivery can be retried; this one is ${status}.`);
      if (expiresAt !== null && expiresAt <= this.clock.now())
        throw RequestError.of('delivery_expired', 'The message of this delivery has expired: send another one.');
      const [handler] = await this.targets.findEnabled(statements, accountId, 1, [handlerId]);
      if (handler?.type !== type)
        throw RequestError.of('handler_unavailable', 'The handler of this delivery is deleted, disabled, or of another type now.');
      await this.queue.retry(statements, context, [{ id, messageId: message_id, handlerId, type, outcome, eventId }]);
      return id;
    });
    this.worker.wake();
    return id;
  }

  /**
   * Retries only deliveries that have not expired and whose handler is available, so that repeated calls reach all of these. `skipped`
   * includes the others, up to what is left of MAX_RETRIED.
   * @throws RequestError 400 without a filter
   */
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
  private async lock(statements: SqlExecutor, { precondition, ...context }: WriteContext, id: number): Promise<StoredRecord> {
    const stored = await this.records.lock(statements, this.table, context, id);
    if (precondition && !precondition(withLog(stored, await this.findLog(statements, context.accountId, id)).version))
      throw new StaleVersion();
    return stored;
  }

  /** Locks deliveries in the order of their ids, and lanes after them, so that concurrent retries can't deadlock. */
  private retryBatch(context: WriteContext, ids: readonly number[], filters: readonly Filter[]): Promise<RetryCounts> {
    const [among, conditions] = [inList(ids), conditionsOf(filters)];
    const find = `SELECT id, message_id, handler_id, type, outcome, event_id, ${IS_RETRIABLE} FROM deliveries WHERE id IN ${among.sql} AND status = 'failed'${conditions.sql}`;
    return this.executor.run(async (statements) => {
      const lock = `${find} ORDER BY id${this.dialect.sql.forUpdate}`;
      const failed = await statements.read<FailedRow>(lock, [this.clock.now(), ...among.values, ...conditions.values]);
      const usable = failed.filter(([, , , , , , isRetriable]) => isRetriable === 1);
      const retried = usable.map(([id, messageId, handlerId, type, outcome, eventId]) => {
        return { id, messageId, handlerId, type, outcome, eventId };
      });
      await this.queue.retry(statements, context, retried);
      return { retried: retried.length, skipped: failed.length - retried.length };
    });
  }

  private async describe(event: DescribedEvent, accountId: number, { id, type }: StoredRecord): Promise<EventText | undefined> {
    const [message] = await this.dialect.read<[string, string, string, string | null, number]>(FIND_MESSAGE, [id]);
    if (!message) return undefined;
    const [title, text, url, handlerName, isMessageCancelled] = message;
    return describeDelivery(event.type, {
      title,
      text,
      url,
      handlerName,
      handlerType: type,
      isMessageCancelled: isMessageCancelled === 1,
      log: await this.findLog(this.dialect, accountId, id),
      report: event.data,
    });
  }

  private async findLog(reader: SqlReader, accountId: number, id: number): Promise<AttemptRecord[]> {
    const rows = await reader.read<AttemptRow>(SELECT_LOG, [accountId, id]);
    return rows.map(([number, datetime, durationMs, outcome, status, detail]) => {
      return { number, datetime, duration_ms: durationMs, outcome, status, detail };
    });
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
