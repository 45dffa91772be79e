import { Injectable } from '@nestjs/common';
import { Dialect } from '../../database/dialect';
import { inList } from '../../database/value-lists';
import { type DeliveryTarget, DeliveryTargets } from '../../notification-handlers/delivery-targets';
import type { SendOptions } from '../../outbound/outbound-request';
import type { Outgoing } from '../channels/channel';
import type { Claim, Ending } from '../queue/claim';
import { AttemptRunner, OVER_LIMIT } from './attempt-runner';

export type DispatchOptions = Omit<SendOptions, 'deadlineMs'>;

/** Attempts one of the claims. Never rejects. */
export type Dispatcher = (claim: Claim, options: DispatchOptions) => Promise<Ending>;

type MessageTexts = Pick<Outgoing, 'title' | 'text' | 'url' | 'datetime'>;

/** Attempts claimed deliveries, each with its message, and its handler as it is now. */
@Injectable()
export class Dispatch {
  constructor(
    private readonly dialect: Dialect,
    private readonly targets: DeliveryTargets,
    private readonly runner: AttemptRunner,
  ) {}

  /** Loads what these claims need. */
  load(claims: readonly Claim[]): Dispatcher {
    const loaded = Promise.all([this.targets.find([...new Set(claims.map(({ handlerId }) => handlerId))]), this.findMessages(claims)]);
    loaded.catch(() => undefined); // each attempt ends with it
    return (claim, options) =>
      loaded
        .then(([targets, messages]) => this.attempt(claim, targets.get(claim.handlerId), messages.get(claim.messageId), options))
        .catch((error: unknown) => this.runner.fail(claim.type, error));
  }

  private attempt(
    claim: Claim,
    target: DeliveryTarget | undefined,
    message: MessageTexts | undefined,
    options: DispatchOptions,
  ): Promise<Ending> | Ending {
    if (!message || target?.accountId !== claim.accountId || target.type !== claim.type || !target.isEnabled) return 'cancelled';
    if (claim.isOverLimit) return this.runner.end(claim.type, OVER_LIMIT);
    const outgoing = { ...message, messageId: claim.messageId, deliveryId: claim.id, webhookId: `msg_${claim.id}` };
    return this.runner.run({ target, outgoing }, options);
  }

  private async findMessages(claims: readonly Claim[]): Promise<Map<number, MessageTexts>> {
    const { sql, values } = inList([...new Set(claims.map(({ messageId }) => messageId))]);
    const rows = await this.dialect.read(`SELECT id, title, text, url, datetime FROM messages WHERE id IN ${sql}`, values);
    return new Map(
      rows.map(([id, title, text, url, datetime]) => [
        Number(id),
        { title: String(title), text: String(text), url: String(url), datetime: String(datetime) },
      ]),
    );
  }
}
