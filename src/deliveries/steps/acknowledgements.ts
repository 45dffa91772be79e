import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Repository } from 'typeorm';
import { operatorContext, type WriteContext } from '../../platform/common/write-context';
import { quotaExceeded } from '../../platform/quotas/quotas';
import { Delivery } from '../delivery.entity';
import type { Acknowledgement } from '../messages/message.dto';
import { MessagesService } from '../messages/messages.service';
import { DeliveryMetrics } from '../sending/delivery-metrics';
import { AcknowledgementLinks } from './acknowledgement-links';

/** Views of a link per minute, in each process: mail scanners open links, some again and again. */
const VIEWS = { points: 60, duration: 60 };

/** The delivery whose link is used, with its message. */
export type LinkedDelivery = Pick<Delivery, 'id' | 'account_id' | 'message'>;

/** Acknowledges messages by key and by link, and counts the first of each. */
@Injectable()
export class Acknowledgements {
  private readonly views = new RateLimiterMemory(VIEWS);

  constructor(
    @InjectRepository(Delivery) private readonly deliveries: Repository<Delivery>,
    private readonly links: AcknowledgementLinks,
    private readonly messages: MessagesService,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** @throws RecordNotFound, StaleVersion, Refusal 409 */
  async byKey(context: WriteContext, messageId: number): Promise<Acknowledgement> {
    return this.counted('key', await this.messages.acknowledge(context, messageId));
  }

  /** Undefined for a token that this installation hasn't made, and once the message is gone. */
  async find(token: string): Promise<LinkedDelivery | undefined> {
    const linked = await this.links.deliveryOf(token);
    if (!linked) return undefined;
    return (await this.deliveries.findOne({ where: { ...linked, until: 'acknowledged' }, relations: { message: true } })) ?? undefined;
  }

  /** Counts a view of a link, without a query. @throws RequestError 429 */
  async countView({ id }: LinkedDelivery): Promise<void> {
    await this.views.consume(id).catch(({ msBeforeNext }: RateLimiterRes) => {
      throw quotaExceeded(`A link may be opened ${VIEWS.points} times a minute.`, Math.ceil(msBeforeNext / 1_000));
    });
  }

  /** @throws RecordNotFound */
  async byLink({ id, account_id, message }: LinkedDelivery, requestId: string): Promise<Acknowledgement> {
    const context = { ...operatorContext(account_id), requestId };
    return this.counted('link', await this.messages.acknowledge(context, message.id, { deliveryId: id }));
  }

  private counted(way: 'key' | 'link', { isFirst, ...acknowledgement }: Acknowledgement & { isFirst: boolean }): Acknowledgement {
    if (isFirst) this.metrics.acknowledgements?.inc({ way });
    return acknowledgement;
  }
}
