import { Injectable } from '@nestjs/common';
import type { WriteContext } from '../platform/common/write-context';
import { audit } from '../platform/database/events/audit';
import { Dialect, type SqlExecutor, type SqlReader } from '../platform/database/dialect';
import { EventNumbers } from '../platform/database/events/event-numbers';
import { RecordNotFound } from '../platform/database/records/records';
import { WriteExecutor } from '../platform/database/writes/transactions';
import { insufficientScope } from '../auth/caller';
import type { ChannelType } from '../notification-handlers/channel-settings';
import type { HandlerGuards } from '../notification-handlers/handler-hooks';
import { EventSources } from './event-sources';

const NOUN = 'notification handler';
const OPERATOR = { has: () => true };
const FIND_HANDLER = 'SELECT id FROM notification_handlers WHERE account_id = ? AND id = ?';
const FIND = 'SELECT types, since FROM handler_events WHERE handler_id = ?';
const FIND_ENABLED = `SELECT handler.id, handler.type, types, since FROM handler_events
  JOIN notification_handlers handler ON handler.id = handler_id WHERE handler_events.account_id = ? AND is_enabled = 1 ORDER BY handler.id`;
const BEGIN = 'INSERT INTO event_cursors (account_id, number, event_id) VALUES (?, ?, 0)';

/** An enabled handler, and its types of events. */
export interface Subscription {
  handlerId: number;
  channel: ChannelType;
  types: ReadonlySet<string>;
  since: number;
}

/** The types of events that handlers are notified of. */
@Injectable()
export class Subscriptions implements HandlerGuards {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly numbers: EventNumbers,
    private readonly sources: EventSources,
  ) {}

  /** Types and patterns, as they were set. @throws RecordNotFound */
  async find(accountId: number, handlerId: number): Promise<string[]> {
    await this.requireHandler(this.dialect, FIND_HANDLER, accountId, handlerId);
    return (await this.findSet(this.dialect, handlerId))?.types ?? [];
  }

  /** Subscribes to events from now on; an empty list unsubscribes. @throws RecordNotFound, RequestError 400 for an unknown type, 403 */
  async set(context: WriteContext, handlerId: number, types: readonly string[]): Promise<string[]> {
    const { accountId, scopes = OPERATOR } = context;
    this.sources.resolve(types, scopes, 'form');
    const { last } = await this.numbers.number();
    await this.executor.runOnce(context, async (statements) => {
      await this.requireHandler(statements, FIND_HANDLER + this.dialect.sql.forUpdate, accountId, handlerId);
      await this.require(statements, context, handlerId); // otherwise, a key could unsubscribe, then redirect pending events
      const before = await this.findSet(statements, handlerId);
      const since = before && !this.adds(types, before.types) ? before.since : last; // without a new type, pending events are still sent
      await statements.write('DELETE FROM handler_events WHERE handler_id = ?', [handlerId]);
      if (types.length > 0) {
        await statements.write('INSERT INTO handler_events (handler_id, account_id, types, since) VALUES (?, ?, ?, ?)', [
          ...[handlerId, accountId, types.join(','), since],
        ]);
        const kept = `${this.dialect.sql.upsertPrefix('account_id')} number = event_cursors.number`;
        await statements.write(`${BEGIN} ${kept}`, [accountId, last + 1]);
      }
      await audit(statements, context, { action: 'set_events', record: NOUN, recordId: handlerId });
      return handlerId;
    });
    return [...types];
  }

  /** Whether there are types that were not set before. */
  private adds(types: readonly string[], before: readonly string[]): boolean {
    const known = this.sources.expand(before);
    return [...this.sources.expand(types)].some((type) => !known.has(type));
  }

  /** A handler that is enabled again gets no events from before. */
  async prepareEnabling(): Promise<(statements: SqlExecutor, handlerId: number) => Promise<void>> {
    const { last } = await this.numbers.number();
    return async (statements, handlerId) => {
      await statements.write('UPDATE handler_events SET since = ? WHERE handler_id = ?', [last, handlerId]);
    };
  }

  /** The subscriptions of an account's enabled handlers, without types of areas that are gone. */
  async findEnabled(accountId: number): Promise<Subscription[]> {
    const rows = await this.dialect.read<[id: number, type: ChannelType, types: string, since: number]>(FIND_ENABLED, [accountId]);
    return rows.map(([handlerId, channel, types, since]) => {
      return { handlerId, channel, since, types: this.sources.expand(types.split(',')) };
    });
  }

  private async findSet(reader: SqlReader, handlerId: number): Promise<{ types: string[]; since: number } | undefined> {
    const [row] = await reader.read<[types: string, since: number]>(FIND, [handlerId]);
    return row && { types: row[0].split(','), since: row[1] };
  }

  private async requireHandler(reader: SqlReader, sql: string, accountId: number, handlerId: number): Promise<void> {
    const [handler] = await reader.read(sql, [accountId, handlerId]);
    if (!handler) throw new RecordNotFound(NOUN);
  }

  /** Whoever points a handler elsewhere must be allowed to read its events. @throws RequestError 403 */
  async require(statements: SqlExecutor, { scopes = OPERATOR }: WriteContext, handlerId: number): Promise<void> {
    const set = await this.findSet(statements, handlerId);
    if (!set) return;
    if (!scopes.has('events:read')) throw insufficientScope(['events:read'], ['events:read']);
    this.sources.requireScopes(this.sources.expand(set.types), scopes);
  }
}
