import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock';
import { timestamp } from '../../platform/common/time';
import { operatorContext, type WriteContext } from '../../platform/common/write-context';
import { quotaExceeded } from '../../platform/quotas/quotas';
import { Delivery } from '../../deliveries/delivery.entity';
import type { Acknowledgement } from '../message.dto';
import { MessagesService } from '../messages.service';
import { DeliveryMetrics } from '../../deliveries/delivery-metrics';
import { AcknowledgementLinks } from '../../deliveries/sending/acknowledgement-links';

/** Views of a link allowed per minute, in each process: some mail scanners open links again and again. */
const VIEW_LIMIT = { points: 60, duration: 60 };

const IS_PENDING = `EXISTS (SELECT 1 FROM deliveries other WHERE other.message_id = message.id AND other.status = 'pending'
  AND other.cancelled_as IS NULL)`;
const CANCELLATION_TIME = `(SELECT MAX(other.last_datetime) FROM deliveries other
  WHERE other.message_id = message.id AND other.status = 'cancelled' AND other.cancelled_as = 'cancelled')`;

/** The delivery whose link is used, with the state of its message. Times are `YYYY-MM-DD HH:MM:SS`. */
export interface LinkedDelivery extends Pick<Delivery, 'id' | 'account_id' | 'message'> {
  /** Whether the message has pending deliveries. */
  isPending: boolean;
  /** When the message was cancelled, unless one of its deliveries has been retried since. */
  cancelled?: string;
  expired?: string;
}

/** Acknowledges messages by key, by link and in calls, and counts each message's first acknowledgement. */
@Injectable()
export class Acknowledgements {
  private views?: RateLimiterMemory;

  constructor(
    @InjectRepository(Delivery) private readonly deliveries: Repository<Delivery>,
    private readonly links: AcknowledgementLinks,
    private readonly messages: MessagesService,
    private readonly metrics: DeliveryMetrics,
    private readonly clock: Clock,
  ) {}

  /** @throws RecordNotFound, StaleVersion, RequestError 409 */
  async byKey(context: WriteContext, messageId: number): Promise<Acknowledgement> {
    return this.counted('key', await this.messages.acknowledge(context, messageId));
  }

  /** Finds the delivery of a link's token. Undefined if this installation hasn't signed the token, or the message was deleted. */
  async find(token: string): Promise<LinkedDelivery | undefined> {
    const linked = await this.links.decodeToken(token);
    if (!linked) return undefined;
    const { entities, raw } = await this.deliveries
      .createQueryBuilder('delivery')
      .innerJoinAndSelect('delivery.message', 'message')
      .addSelect(IS_PENDING, 'pending')
      .addSelect(CANCELLATION_TIME, 'cancelled')
      .where({ ...linked, until: 'acknowledged' })
      .getRawAndEntities<{ pending: number; cancelled: string | null }>();
    if (entities.length === 0) return undefined;
    const [{ id, account_id, message }] = entities;
    const isPending = Number(raw[0].pending) === 1;
    const expiry = Number(message.expires_at ?? Infinity);
    return {
      id,
      account_id,
      message,
      isPending,
      cancelled: (!isPending && raw[0].cancelled) || undefined,
      expired: expiry <= this.clock.now() ? timestamp(expiry) : undefined,
    };
  }

  /** Counts a view of a link, without a query. @throws RequestError 429 */
  async countView({ id }: LinkedDelivery): Promise<void> {
    const { RateLimiterMemory } = await import('rate-limiter-flexible');
    this.views ??= new RateLimiterMemory(VIEW_LIMIT);
    await this.views.consume(id).catch(({ msBeforeNext }: RateLimiterRes) => {
      throw quotaExceeded(`A link may be opened ${VIEW_LIMIT.points} times a minute.`, Math.ceil(msBeforeNext / 1_000));
    });
  }

  /** @throws RecordNotFound */
  async byLink({ id, account_id, message }: LinkedDelivery, requestId: string, way: 'link' | 'call' = 'link'): Promise<Acknowledgement> {
    const context = { ...operatorContext(account_id), requestId };
    return this.counted(way, await this.messages.acknowledge(context, message.id, { deliveryId: id }));
  }

  private counted(way: 'key' | 'link' | 'call', { isFirst, ...acknowledgement }: Acknowledgement & { isFirst: boolean }): Acknowledgement {
    if (isFirst) this.metrics.acknowledgements?.inc({ way });
    return acknowledgement;
  }
}
