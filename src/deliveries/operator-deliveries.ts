import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { timestamp } from '../platform/common/time';
import { operatorContext, type WriteContext } from '../platform/common/write-context';
import { Dialect } from '../platform/database/dialect';
import type { Filter } from '../platform/database/records/selection';
import { RecordNotFound } from '../platform/database/records/records';
import { yieldToWriters } from '../platform/database/writes/transactions';
import { DeliveriesService } from './deliveries.service';
import type { DeliveryRecord, DeliveryWithLog, RetryCounts } from './delivery.dto';
import type { DeliveryStatus } from './delivery.entity';
import { webhookIdOf } from './installations';
import type { CancellationCounts } from './messages/message.dto';
import { MessagesService } from './messages/messages.service';

interface DeliveryListQuery {
  accountId?: number;
  handlerId?: number;
  status?: DeliveryStatus;
  /** Earliest creation time: a prefix of `YYYY-MM-DD HH:MM:SS`. */
  since?: string;
  max: number;
}

interface ListedDelivery extends Omit<DeliveryRecord, 'receipt' | 'last_datetime'> {
  account_id: number;
  webhook_id: string;
  /** Null when the handler has been deleted. */
  handler_name: string | null;
  /** The detail of the last attempt that has ended. */
  detail: string | null;
}

/** A delivery with its message's title and the attempts that have ended. */
export interface ShownDelivery extends DeliveryWithLog {
  account_id: number;
  title: string;
  handler_name: string | null;
}

/** `next_attempt` is in milliseconds since 1970. */
type ListedRow = Omit<ListedDelivery, 'webhook_id' | 'next_attempt'> & {
  part: string;
  event_id: string | null;
  next_attempt: number | null;
};

/** Joins the last attempt, for its detail. */
const SELECT = `SELECT delivery.id, part, event_id, delivery.account_id, message_id, handler_id, handler.name AS handler_name,
  delivery.type, delivery.status, delivery.outcome, attempts, next_attempt, detail, delivery.datetime FROM deliveries delivery
  LEFT JOIN notification_handlers handler ON handler.id = handler_id LEFT JOIN delivery_attempts attempt
  ON attempt.id = (SELECT id FROM delivery_attempts WHERE delivery_id = delivery.id ORDER BY number DESC, id DESC LIMIT 1)`;
const FIND_NAMES = `SELECT delivery.account_id, title, handler.name FROM deliveries delivery JOIN messages ON messages.id = message_id
  LEFT JOIN notification_handlers handler ON handler.id = handler_id WHERE delivery.id = ?`;

/** Failed deliveries read per query. */
const BATCH = 100;
const FIND_FAILED = "SELECT id, account_id FROM deliveries WHERE status = 'failed' AND last_datetime >= ? AND id > ? AND id <= ?";

interface FailedSince {
  /** Earliest time of the failure: a prefix of `YYYY-MM-DD HH:MM:SS`. */
  since: string;
  accountId?: number;
}

/** Lists deliveries of all accounts. Retries failed ones and cancels messages by the same rules as the API. */
@Injectable()
export class OperatorDeliveries {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly messages: MessagesService,
    private readonly dialect: Dialect,
    private readonly dataSource: DataSource,
  ) {}

  /** The newest first. */
  async find({ accountId, handlerId, status, since, max }: DeliveryListQuery): Promise<ListedDelivery[]> {
    const given: [condition: string, value: string | number | undefined][] = [
      ['delivery.account_id = ?', accountId],
      ['handler_id = ?', handlerId],
      ['delivery.status = ?', status],
      ['delivery.datetime >= ?', since],
    ];
    const filters = given.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]));
    const where = ['1 = 1', ...filters.map(({ condition }) => condition)].join(' AND ');
    const values = [...filters.map(({ value }) => value), max];
    const rows = await this.dataSource.query<ListedRow[]>(`${SELECT} WHERE ${where} ORDER BY delivery.id DESC LIMIT ?`, values);
    return rows.map(toListed);
  }

  /** @throws RecordNotFound */
  async show(id: number): Promise<ShownDelivery> {
    const [row] = await this.dialect.read<[accountId: number, title: string, handlerName: string | null]>(FIND_NAMES, [id]);
    if (!row) throw new RecordNotFound('delivery');
    const [account_id, title, handler_name] = row;
    const { record } = await this.deliveries.find(account_id, id);
    return { ...record, account_id, title, handler_name };
  }

  /** @throws RecordNotFound, RequestError 409 */
  async retry(id: number): Promise<void> {
    await this.deliveries.retry(await this.ownerOf('deliveries', 'delivery', id), id);
  }

  /** @throws RecordNotFound */
  async cancelMessage(id: number): Promise<CancellationCounts> {
    return this.messages.cancel(await this.ownerOf('messages', 'message', id), id);
  }

  /** Safe to run again after an interruption: deliveries already retried are no longer `failed`. */
  async retryFailed({ since, accountId }: FailedSince): Promise<RetryCounts> {
    const [[newest]] = await this.dialect.read('SELECT MAX(id) FROM deliveries', []);
    const sql = `${FIND_FAILED}${accountId === undefined ? '' : ' AND account_id = ?'} ORDER BY id LIMIT ${BATCH}`;
    const failedSince: Filter = { column: 'last_datetime', match: 'from', value: since };
    const counts = { retried: 0, skipped: 0 };
    for (let last = 0; ;) {
      const values = [since, last, newest, ...(accountId === undefined ? [] : [accountId])];
      const failed = await this.dialect.read<[id: number, accountId: number]>(sql, values);
      if (failed.length === 0) return counts;
      for (const owner of new Set(failed.map(([, each]) => each))) {
        const ids = failed.filter(([, each]) => each === owner).map(([id]) => id);
        const { retried, skipped } = await this.deliveries.retryAll(operatorContext(owner), ids, [failedSince]);
        counts.retried += retried;
        counts.skipped += skipped;
      }
      [last] = failed[failed.length - 1];
      await yieldToWriters();
    }
  }

  /** The operator's context in the record's account. @throws RecordNotFound */
  private async ownerOf(table: string, noun: string, id: number): Promise<WriteContext> {
    const [row] = await this.dialect.read<[accountId: number]>(`SELECT account_id FROM ${table} WHERE id = ?`, [id]);
    if (!row) throw new RecordNotFound(noun);
    return operatorContext(row[0]);
  }
}

function toListed({ part, event_id: eventId, ...row }: ListedRow): ListedDelivery {
  const { id, next_attempt: next } = row;
  return { ...row, webhook_id: webhookIdOf({ id, part, eventId }), next_attempt: next === null ? null : timestamp(next) };
}
