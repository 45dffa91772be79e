import { Injectable } from '@nestjs/common';
import { Between, DataSource, type FindOptionsWhere, MoreThanOrEqual } from 'typeorm';
import { timestamp } from '../platform/common/time';
import { operatorContext } from '../platform/common/write-context';
import type { Filter } from '../platform/database/records/selection';
import { yieldToWriters } from '../platform/database/writes/transactions';
import { joinHandler } from '../notification-handlers/enabled-handlers';
import { DeliveriesService } from './deliveries.service';
import { DeliveryRetries } from './delivery-retries';
import type { DeliveryRecord, DeliveryWithLog, RetryCounts } from './delivery.dto';
import type { DeliveryStatus } from './delivery-status';
import { Delivery, DeliveryAttempt } from './delivery.entity';
import { webhookIdOf } from './installations';
import { RecordNotFound } from '../platform/common/errors';

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
export interface DeliveryDetails extends DeliveryWithLog {
  account_id: number;
  title: string;
  handler_name: string | null;
}

/** `next_attempt` is in milliseconds since 1970. */
type ListedRow = Omit<ListedDelivery, 'webhook_id' | 'next_attempt'> & Pick<Delivery, 'part' | 'event_id' | 'next_attempt'>;

const LISTED_COLUMNS = ['id', 'part', 'event_id', 'account_id', 'message_id', 'handler_id', 'type', 'status', 'outcome', 'attempts'];
const IS_LAST_ATTEMPT =
  'attempt.id = (SELECT id FROM delivery_attempts WHERE delivery_id = delivery.id ORDER BY number DESC, id DESC LIMIT 1)';

/** Failed deliveries read per query. */
const DELIVERIES_PER_BATCH = 100;

interface RetryFailedOptions {
  /** Earliest time of the failure: a prefix of `YYYY-MM-DD HH:MM:SS`. */
  since: string;
  accountId?: number;
}

/** Lists deliveries across accounts, and retries failed ones by the same rules as the API. */
@Injectable()
export class OperatorDeliveries {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly retries: DeliveryRetries,
    private readonly dataSource: DataSource,
  ) {}

  /** Lists the newest deliveries first. */
  async find({ accountId, handlerId, status, since, max }: DeliveryListQuery): Promise<ListedDelivery[]> {
    const rows = await this.withHandlers()
      .leftJoin(DeliveryAttempt, 'attempt', IS_LAST_ATTEMPT)
      .select([...LISTED_COLUMNS, 'next_attempt', 'datetime'].map((name) => `delivery.${name} AS ${name}`))
      .addSelect(['handler.name AS handler_name', 'attempt.detail AS detail'])
      .where(withoutUndefined({ account_id: accountId, handler_id: handlerId, status, datetime: since && MoreThanOrEqual(since) }))
      .orderBy('delivery.id', 'DESC')
      .limit(max)
      .getRawMany<ListedRow>();
    return rows.map(toListed);
  }

  /** @throws RecordNotFound */
  async show(id: number): Promise<DeliveryDetails> {
    const names = await this.withHandlers()
      .innerJoin('delivery.message', 'message')
      .select(['delivery.account_id AS account_id', 'message.title AS title', 'handler.name AS handler_name'])
      .where({ id })
      .getRawOne<Pick<DeliveryDetails, 'account_id' | 'title' | 'handler_name'>>();
    if (!names) throw new RecordNotFound('delivery');
    const { record } = await this.deliveries.find(names.account_id, id);
    return { ...record, ...names };
  }

  /** @throws RecordNotFound, RequestError */
  async retry(id: number): Promise<void> {
    const found = await this.dataSource.getRepository(Delivery).findOne({ select: { id: true, account_id: true }, where: { id } });
    if (!found) throw new RecordNotFound('delivery');
    await this.retries.retry(operatorContext(found.account_id), id);
  }

  /** Safe to run again after an interruption: deliveries already retried are no longer `failed`. */
  async retryFailed({ since, accountId }: RetryFailedOptions): Promise<RetryCounts> {
    const repository = this.dataSource.getRepository(Delivery);
    const newest = (await repository.maximum('id')) ?? 0;
    const failedSince: Filter = { column: 'last_datetime', match: 'from', value: since };
    const counts = { retried: 0, skipped: 0 };
    for (let last = 0; ;) {
      const failed = await repository.find({
        select: { id: true, account_id: true },
        where: withoutUndefined({
          status: 'failed',
          last_datetime: MoreThanOrEqual(since),
          id: Between(last + 1, newest),
          account_id: accountId,
        }),
        order: { id: 'ASC' },
        take: DELIVERIES_PER_BATCH,
      });
      if (failed.length === 0) return counts;
      for (const owner of new Set(failed.map(({ account_id }) => account_id))) {
        const ids = failed.filter(({ account_id }) => account_id === owner).map(({ id }) => id);
        const { retried, skipped } = await this.retries.retryAll(operatorContext(owner), ids, [failedSince]);
        counts.retried += retried;
        counts.skipped += skipped;
      }
      last = failed[failed.length - 1].id;
      await yieldToWriters();
    }
  }

  private withHandlers() {
    return joinHandler(this.dataSource.getRepository(Delivery).createQueryBuilder('delivery'));
  }
}

/** Drops undefined conditions, which TypeORM rejects. */
function withoutUndefined(where: FindOptionsWhere<Delivery>): FindOptionsWhere<Delivery> {
  return Object.fromEntries(Object.entries(where).filter(([, value]) => value !== undefined));
}

function toListed({ part, event_id: eventId, ...row }: ListedRow): ListedDelivery {
  const { id, next_attempt: next } = row;
  return { ...row, webhook_id: webhookIdOf({ id, part, eventId }), next_attempt: next === null ? null : timestamp(Number(next)) };
}
