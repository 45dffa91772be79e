import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Page, type Versioned, versionOf } from '../common/records';
import { timestamp } from '../common/time';
import { StaleVersion, type WriteContext } from '../common/write-context';
import { audit } from '../database/audit/audit';
import { Dialect, type SqlExecutor, type SqlReader } from '../database/dialect';
import { Records } from '../database/records/records';
import { WriteExecutor } from '../database/writes/transactions';
import { RequestError } from '../http/errors/request-error';
import { DeliveryTargets } from '../notification-handlers/delivery-targets';
import type { Outcome } from './channels/channel';
import { type AttemptRecord, type DeliveryQuery, DeliveryRecord, type DeliveryWithLog } from './delivery.dto';
import { Delivery } from './delivery.entity';
import { DeliveryQueue } from './queue/delivery-queue';
import { DeliveryWorker } from './sending/delivery-worker';

/** With the due time in milliseconds. */
type StoredRecord = Omit<DeliveryRecord, 'next_attempt'> & { next_attempt: number | null };

const SELECT_LOG = `SELECT number, datetime, duration_ms, outcome, status, detail
  FROM delivery_attempts WHERE account_id = ? AND delivery_id = ? ORDER BY number`;

@Injectable()
export class DeliveriesService {
  private readonly table = this.records.table<StoredRecord>(Delivery, DeliveryRecord, { countsUpdates: false });

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
    return new Page(records.map(toRecord), total, query);
  }

  /** @throws RecordNotFound */
  async find(accountId: number, id: number): Promise<Versioned<DeliveryWithLog>> {
    for (let log = await this.findLog(this.dialect, accountId, id); ;) {
      const { record: stored } = await this.records.find(this.table, accountId, id);
      const later = stored.attempts > log.length ? await this.findLog(this.dialect, accountId, id) : log;
      if (later.length === log.length) return withLog(stored, log);
      log = later; // an attempt ended between the reads
    }
  }

  /** Makes a failed delivery due now, with the waits from the beginning. @throws RecordNotFound, StaleVersion, RequestError 409 */
  async retry(context: WriteContext, id: number): Promise<number> {
    await this.executor.runStatements(context, (statements) => this.retryWithin(statements, context, id));
    this.worker.wake();
    return id;
  }

  /** `retry` in the caller's transaction; throws before writing. @throws RecordNotFound, StaleVersion, RequestError 409 */
  async retryWithin(statements: SqlExecutor, context: WriteContext, id: number): Promise<number> {
    const { status, handler_id: handlerId, type } = await this.lock(statements, context, id);
    if (status !== 'failed') throw RequestError.of('delivery_not_failed', `Only a failed delivery can be retried; this one is ${status}.`);
    const [handler] = await this.targets.findEnabledAmong(statements, context.accountId, [handlerId]);
    if (handler?.type !== type)
      throw RequestError.of('handler_unavailable', 'The handler of this delivery is deleted, disabled, or of another type now.');
    await this.queue.retry(statements, { id, accountId: context.accountId, handlerId, type }, this.clock.now());
    await audit(statements, context, { action: 'retry', record: this.table.noun, recordId: id });
    return id;
  }

  /** Compares with the entity tag of the record as it is read, with its log. */
  private async lock(statements: SqlExecutor, { precondition, ...context }: WriteContext, id: number): Promise<StoredRecord> {
    const stored = await this.records.lock(statements, this.table, context, id);
    if (precondition && !precondition(withLog(stored, await this.findLog(statements, context.accountId, id)).version))
      throw new StaleVersion();
    return stored;
  }

  private async findLog(reader: SqlReader, accountId: number, id: number): Promise<AttemptRecord[]> {
    type Row = [number: number, datetime: string, duration_ms: number, outcome: Outcome, status: number | null, detail: string];
    const rows = await reader.read<Row>(SELECT_LOG, [accountId, id]);
    return rows.map(([number, datetime, duration_ms, outcome, status, detail]) => ({
      number,
      datetime,
      duration_ms,
      outcome,
      status,
      detail,
    }));
  }
}

function withLog(stored: StoredRecord, log: AttemptRecord[]): Versioned<DeliveryWithLog> {
  const record = { ...toRecord(stored), log };
  return { record, version: versionOf(record) };
}

function toRecord({ next_attempt, ...rest }: StoredRecord): DeliveryRecord {
  const { last_datetime, datetime, ...before } = rest;
  return { ...before, next_attempt: next_attempt === null ? null : timestamp(new Date(next_attempt)), last_datetime, datetime };
}
