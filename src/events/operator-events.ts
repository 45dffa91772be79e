import { Injectable } from '@nestjs/common';
import { operatorContext } from '../platform/common/write-context';
import { logAuditedEvent } from '../platform/database/events/event-log';
import { EventNumbers } from '../platform/database/events/event-numbers';
import { WriteExecutor } from '../platform/database/writes/transactions';
import type { EventRecord } from './event.dto';
import { EventPresenter, type EventRow } from './event-presenter';
import { EventSources } from './event-sources';
import { HandlerReplay } from './replays/replay.entity';
import { EventCursor } from './subscriptions/subscription.entity';

/** The operator may read the events of any type. */
const ALL_SCOPES = { has: () => true };
/** Rows read per query, from the end of the log backwards. */
const ROWS_PER_BATCH = 1_000;

interface EventListQuery {
  accountId?: number;
  /** Event types or `<noun>.*`, as in the feed. */
  types?: readonly string[];
  max: number;
  /** Only events after this number. */
  after?: number;
}

export interface ListedEvent extends EventRecord {
  account_id: number;
}

interface EventList {
  events: ListedEvent[];
  hasOlder: boolean;
  last: number;
}

/** The events of all accounts, for the operator. */
@Injectable()
export class OperatorEvents {
  constructor(
    private readonly executor: WriteExecutor,
    private readonly numbers: EventNumbers,
    private readonly sources: EventSources,
    private readonly presenter: EventPresenter,
  ) {}

  /** The newest events, oldest first, and the last number of the log. @throws RequestError 400 for an unknown type */
  async find({ accountId, types, max, after = 0 }: EventListQuery): Promise<EventList> {
    const named = types && this.sources.resolve(types, ALL_SCOPES, 'query');
    const state = await this.numbers.numberEvents();
    const found: (EventRow & { accountId: number })[] = [];
    for (let before = { number: state.last + 1, id: 0 }; found.length <= max;) {
      const rows = await this.presenter.findNewest({ accountId, before, after: Math.max(after, state.floor), max: ROWS_PER_BATCH });
      found.push(...rows.filter((row) => this.sources.isListed(row, named)));
      if (rows.length < ROWS_PER_BATCH) break;
      before = rows[rows.length - 1];
    }
    const shown = found.slice(0, max).reverse();
    const events = await this.presenter.present(state, shown);
    const listed = events.map((event, index) => ({ ...event, account_id: shown[index].accountId }));
    return { events: listed, hasOlder: found.length > max, last: state.last };
  }

  /** Expires every cursor of the feed, and ends replays; handlers get no events from before the reset. */
  async reset(): Promise<void> {
    const start = await this.numbers.beginEpoch();
    await this.executor.run(async (transaction) => {
      await transaction.manager.updateAll(EventCursor, { number: start, event_id: 0 });
      await transaction.manager.deleteAll(HandlerReplay);
      await logAuditedEvent(transaction, operatorContext(0), { action: 'reset', record: 'events', recordId: null });
    });
  }
}
