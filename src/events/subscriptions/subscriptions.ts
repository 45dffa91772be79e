import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import type { WriteContext } from '../../platform/common/write-context';
import { logAuditedEvent } from '../../platform/database/events/event-log';
import { rowLock } from '../../platform/database/row-lock';
import { EventNumbers } from '../../platform/database/events/event-numbers';
import { type Transaction, WriteExecutor } from '../../platform/database/writes/transactions';
import { insufficientScope } from '../../auth/challenges';
import type { ChannelType } from '../../notification-handlers/channel-settings';
import type { EventScopeChecks } from '../../notification-handlers/handler-hooks';
import { NotificationHandler } from '../../notification-handlers/notification-handler.entity';
import { EventSources } from '../event-sources';
import { HandlerReplay } from '../replays/replay.entity';
import { EventCursor, HandlerEvents } from './subscription.entity';
import { RecordNotFound } from '../../platform/common/errors';

const NOUN = 'notification handler';
const ALL_SCOPES = { has: () => true };

/** An enabled handler and its event types. */
export interface Subscription {
  handlerId: number;
  channel: ChannelType;
  types: ReadonlySet<string>;
  since: number;
}

/** The event types that handlers are notified of. */
@Injectable()
export class Subscriptions implements EventScopeChecks {
  constructor(
    @InjectRepository(HandlerEvents) private readonly subscriptions: Repository<HandlerEvents>,
    private readonly executor: WriteExecutor,
    private readonly numbers: EventNumbers,
    private readonly sources: EventSources,
  ) {}

  /** Types and patterns as set by the client. @throws RecordNotFound */
  async find(accountId: number, handlerId: number): Promise<string[]> {
    const { manager } = this.subscriptions;
    if (!(await manager.existsBy(NotificationHandler, { account_id: accountId, id: handlerId }))) throw new RecordNotFound(NOUN);
    return (await this.subscriptions.findOneBy({ handler_id: handlerId }))?.types ?? [];
  }

  /** Subscribes to events from now on; an empty list unsubscribes. @throws RecordNotFound, RequestError for an unknown type, RequestError 403 */
  async set(context: WriteContext, handlerId: number, types: string[]): Promise<string[]> {
    const { accountId, scopes = ALL_SCOPES } = context;
    this.sources.resolve(types, scopes, 'form');
    const { last } = await this.numbers.numberEvents();
    await this.executor.runOnce(context, async (transaction) => {
      const { manager } = transaction;
      const where = { account_id: accountId, id: handlerId };
      if (!(await manager.findOne(NotificationHandler, { where, lock: rowLock(manager) }))) throw new RecordNotFound(NOUN);
      const before = await this.requireScopes(manager, context, handlerId); // otherwise, a key could unsubscribe, then redirect pending events
      const since = before && !this.addsTypes(types, before.types) ? before.since : last; // without a new type, pending events are still sent
      await manager.delete(HandlerEvents, { handler_id: handlerId });
      if (types.length === 0) await manager.delete(HandlerReplay, { handler_id: handlerId });
      if (types.length > 0) {
        await manager.insert(HandlerEvents, { handler_id: handlerId, account_id: accountId, types, since });
        const cursor = { account_id: accountId, number: last + 1, event_id: 0 };
        await manager.createQueryBuilder().insert().into(EventCursor).values(cursor).orIgnore().execute();
      }
      await logAuditedEvent(transaction, context, { action: 'set_events', record: NOUN, recordId: handlerId });
      return handlerId;
    });
    return types;
  }

  /** Whether there are new types. */
  private addsTypes(types: readonly string[], before: readonly string[]): boolean {
    const known = this.sources.expand(before);
    return [...this.sources.expand(types)].some((type) => !known.has(type));
  }

  /** A handler that is enabled again gets neither earlier events nor the rest of a replay. */
  async prepareEnabling(): Promise<(transaction: Transaction, handlerId: number) => Promise<void>> {
    const { last } = await this.numbers.numberEvents();
    return async (transaction, handlerId) => {
      await transaction.manager.update(HandlerEvents, { handler_id: handlerId }, { since: last });
      await this.endReplay(transaction, handlerId);
    };
  }

  async endReplay({ manager }: Transaction, handlerId: number): Promise<void> {
    await manager.delete(HandlerReplay, { handler_id: handlerId });
  }

  /** The subscriptions of an account's enabled handlers, or of one, without types that no longer exist. */
  async findEnabled(accountId: number, handlerId?: number): Promise<Subscription[]> {
    const found = await this.subscriptions.find({
      select: { handler_id: true, types: true, since: true, handler: { id: true, type: true } },
      where: { account_id: accountId, handler: { is_enabled: true }, ...(handlerId !== undefined && { handler_id: handlerId }) },
      relations: { handler: true },
      order: { handler_id: 'ASC' },
    });
    return found.map(({ handler_id, types, since, handler }) => {
      return { handlerId: handler_id, channel: handler.type, since, types: this.sources.expand(types) };
    });
  }

  /** Requires that a caller who changes where a handler delivers may read its events. @throws RequestError 403 */
  async require({ manager }: Transaction, context: WriteContext, handlerId: number): Promise<void> {
    await this.requireScopes(manager, context, handlerId);
  }

  /** The subscription of a handler, if it has one. @throws RequestError 403, if the caller may not read its events */
  async requireScopes(manager: EntityManager, { scopes = ALL_SCOPES }: WriteContext, handlerId: number) {
    const set = await manager.findOneBy(HandlerEvents, { handler_id: handlerId });
    if (!set) return undefined;
    if (!scopes.has('events:read')) throw insufficientScope(['events:read'], ['events:read']);
    this.sources.requireScopes(this.sources.expand(set.types), scopes);
    return set;
  }
}
