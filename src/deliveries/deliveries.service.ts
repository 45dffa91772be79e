import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Page, type Versioned, versionOf } from '../platform/common/records';
import { timestamp } from '../platform/common/time';
import type { WriteContext } from '../platform/common/write-context';
import type { DescribedEvent, EventText } from '../platform/database/events/event-types';
import type { RecordTable } from '../platform/database/records/record-table';
import { Records } from '../platform/database/records/records';
import type { Transaction } from '../platform/database/writes/transactions';
import { StaleVersion } from '../platform/common/errors';
import { joinHandler } from '../notification-handlers/enabled-handlers';
import { type AttemptRecord, type DeliveryQuery, DeliveryRecord, type DeliveryWithLog } from './delivery.dto';
import { Delivery, DeliveryAttempt, type EndReason, type Until } from './delivery.entity';
import { describeDelivery, type DescribedDelivery, reasonOfCancellation } from './delivery-texts';
import { parseReceipt } from './channels/twilio-report';

/** `next_attempt` is in milliseconds since 1970; `receipt` is JSON. */
type StoredRecord = Omit<DeliveryRecord, 'next_attempt' | 'receipt'> & { next_attempt: number | null; receipt: string | null };

const LOG_FIELDS = { number: true, datetime: true, duration_ms: true, outcome: true, status: true, detail: true };

@Injectable()
export class DeliveriesService {
  private readonly table: RecordTable<StoredRecord>;

  constructor(
    private readonly records: Records,
    private readonly dataSource: DataSource,
  ) {
    this.table = records.table<StoredRecord>(Delivery, DeliveryRecord, {
      countsUpdates: false,
      noun: 'delivery',
      events: ['deliver', 'fail', 'cancel', 'retry', 'receipt'],
      present: async (stored, accountId) => withLog(stored, await this.findLog(this.dataSource.manager, accountId, stored.id)).record,
      describeEvent: (event, stored, accountId) => (stored ? this.describe(event, accountId, stored) : undefined),
    });
  }

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

  /** Locks a delivery. Checks the precondition against the version that `find` returns, which covers the log. @throws RecordNotFound, StaleVersion */
  async lock(transaction: Transaction, { precondition, ...context }: WriteContext, id: number): Promise<StoredRecord> {
    const stored = await this.records.lock(transaction, this.table, context, id);
    const log = precondition ? await this.findLog(transaction.manager, context.accountId, id) : [];
    if (precondition && !precondition(withLog(stored, log).version)) throw new StaleVersion();
    return stored;
  }

  private async describe(event: DescribedEvent, accountId: number, { id, type }: StoredRecord): Promise<EventText | undefined> {
    const found = await joinHandler(this.dataSource.getRepository(Delivery).createQueryBuilder('delivery'))
      .innerJoin('delivery.message', 'message')
      .select(['message.title AS title', 'message.text AS text', 'message.url AS url', 'handler.name AS handlerName'])
      .addSelect('delivery.cancelled_as', 'end')
      .addSelect('delivery.until', 'until')
      .where({ id })
      .getRawOne<Pick<DescribedDelivery, 'title' | 'text' | 'url' | 'handlerName'> & { end: EndReason | null; until: Until | null }>();
    if (!found) return undefined;
    const log = await this.findLog(this.dataSource.manager, accountId, id);
    const reason = reasonOfCancellation(found.end, found.until);
    return describeDelivery(event.type, { ...found, handlerType: type, reason, log, report: event.data });
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

/** Preserves the field order, which clients see in responses. */
function toRecord(stored: StoredRecord): DeliveryRecord {
  const { next_attempt, receipt } = stored;
  const nextAttempt = next_attempt === null ? null : timestamp(next_attempt);
  return { ...stored, next_attempt: nextAttempt, receipt: parseReceipt(receipt) };
}
