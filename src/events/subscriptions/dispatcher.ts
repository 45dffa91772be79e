import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../platform/common/clock';
import { Config } from '../../platform/config/config';
import { Dialect } from '../../platform/database/dialect';
import { EventNumbers, type LogState } from '../../platform/database/events/event-numbers';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { Background, PollLoop } from '../../platform/jobs/background';
import { ThrottledLog } from '../../platform/observability/logging';
import { type Dispatch, EventMessages } from './event-messages';
import { EventPresenter, type EventRow } from '../event-presenter';
import { EventSources } from '../event-sources';
import { Replayer } from '../replays/replayer';
import { UNDISPATCHED } from './subscription.entity';
import { Subscriptions } from './subscriptions';

const POLL_MS = 300;
/** How often to search all accounts for events that a killed process has left undispatched. */
const SWEEP_MS = 5_000;
/** Events per account per transaction, to keep locks short and let accounts take turns. */
const EVENTS_PER_BATCH = 25;
/** Messages per transaction, unless a single event needs more: an account may have 1,000 handlers. */
const MAX_MESSAGES_PER_BATCH = 100;

const FIND_ACCOUNTS_WITH_NEWER = `SELECT DISTINCT events.account_id FROM events JOIN event_cursors cursors ON cursors.account_id = events.account_id
  WHERE events.number > ? AND events.number <= ?`;
const FIND_ALL_PENDING = `SELECT account_id FROM event_cursors cursors WHERE EXISTS (SELECT 1 FROM events WHERE ${UNDISPATCHED})`;
const FIND_CURSOR = 'SELECT number, event_id FROM event_cursors WHERE account_id = ?';
const IS_CURSOR = 'account_id = ? AND number = ? AND event_id = ?';
const MOVE_CURSOR = `UPDATE event_cursors SET number = ?, event_id = ? WHERE ${IS_CURSOR}`;

/**
 * Notifies handlers of events, with a message per handler and event. Messages are written in the transaction that moves the account's
 * cursor, so that no event is sent twice or lost, even if the process is killed. A cycle sends a batch per account, then one of a replay.
 */
@Injectable()
export class Dispatcher implements OnModuleInit {
  private readonly warning: ThrottledLog;
  /** Accounts that may have undispatched events, the next one first. */
  private readonly pending = new Set<number>();
  private lastSeen = 0;
  private lastSweep = -Infinity;
  readonly name = 'events';
  readonly loop = new PollLoop({ cycle: () => this.cycle(), onError: (error) => this.warn(error) });

  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly numbers: EventNumbers,
    private readonly subscriptions: Subscriptions,
    private readonly presenter: EventPresenter,
    private readonly sources: EventSources,
    private readonly messages: EventMessages,
    private readonly replayer: Replayer,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly background: Background,
  ) {
    this.warning = new ThrottledLog(new Logger(Dispatcher.name), clock);
  }

  onModuleInit(): void {
    this.background.add(this);
  }

  /** Off with DELIVERY_CONCURRENCY=0, as deliveries are. */
  start(): void {
    if (this.config.deliveries.concurrency > 0) this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** 0 while events are undispatched or being dispatched; otherwise when the next replay that has used up its day's share continues. */
  async nextDue(accountId?: number): Promise<number> {
    if (this.loop.state === 'off') return Infinity;
    await this.numbers.numberEvents();
    const rows = await this.dialect.read<[accountId: number]>(FIND_ALL_PENDING, []);
    const isBusy = rows.some(([id]) => accountId === undefined || id === accountId);
    const due = await this.replayer.nextDue(accountId);
    return isBusy || this.loop.state === 'cycling' ? 0 : due;
  }

  /** Dispatches one batch for each account with new events. */
  private async cycle(): Promise<number> {
    const state = await this.numbers.numberEvents();
    await this.findPendingAccounts(state);
    let hasMore = false;
    for (const accountId of [...this.pending]) {
      const left = await this.dispatch(accountId, state).catch((error: unknown) => this.isolateError(error));
      if (left === 'more') hasMore = true;
      if (left === 'none') this.pending.delete(accountId);
    }
    const wait = await this.replayer.advance(state);
    return hasMore ? 0 : Math.min(wait, POLL_MS);
  }

  /** Every process finds the same accounts, and the first to lock the cursor dispatches. The sweep finds events that a killed process has left undispatched. */
  private async findPendingAccounts({ last }: LogState): Promise<void> {
    const now = this.clock.monotonic();
    const isSweep = now - this.lastSweep >= SWEEP_MS;
    if (last <= this.lastSeen && !isSweep) return;
    const rows = await (isSweep
      ? this.dialect.read<[accountId: number]>(FIND_ALL_PENDING, [])
      : this.dialect.read<[accountId: number]>(FIND_ACCOUNTS_WITH_NEWER, [this.lastSeen, last]));
    for (const [accountId] of rows) this.pending.add(accountId);
    this.lastSeen = last;
    if (isSweep) this.lastSweep = now;
  }

  /** Notifies the account's handlers of its next events. `taken`: another process has locked or moved the cursor. */
  private async dispatch(accountId: number, state: LogState): Promise<'more' | 'none' | 'taken'> {
    const [cursor] = await this.dialect.read<[number: number, id: number]>(FIND_CURSOR, [accountId]);
    if (!cursor) return 'none';
    const [number, id] = cursor;
    const rows = await this.presenter.find(accountId, { epoch: state.epoch, number, id }, state.last, EVENTS_PER_BATCH);
    if (rows.length === 0) return 'none';
    const subscriptions = await this.subscriptions.findEnabled(accountId);
    const recipientsOf = (row: EventRow) =>
      subscriptions.filter(({ types, since }) => row.number > since && types.has(this.sources.typeOf(row) ?? ''));
    const dispatches = await this.messages.prepare(accountId, state, rows, recipientsOf);
    const first = dispatches.findIndex((_, index) => index > 0 && countMessages(dispatches.slice(0, index + 1)) > MAX_MESSAGES_PER_BATCH);
    const batch = first === -1 ? dispatches : dispatches.slice(0, first);
    const last = first === -1 ? rows[rows.length - 1] : batch[batch.length - 1].row;
    const lock = `SELECT 1 FROM event_cursors WHERE ${IS_CURSOR}${this.dialect.sql.forUpdateSkipLocked}`;
    const isMoved = await this.executor.run(async (transaction) => {
      if ((await transaction.read(lock, [accountId, ...cursor])).length === 0) return false;
      await this.messages.write(transaction, accountId, batch);
      await transaction.write(MOVE_CURSOR, [last.number, last.id + 1, accountId, ...cursor]);
      return true;
    });
    if (!isMoved) return 'taken';
    return first === -1 && rows.length < EVENTS_PER_BATCH ? 'none' : 'more';
  }

  /** Keeps one account's error from stopping the others. @throws the error, if the database is unavailable */
  private isolateError(error: unknown): 'taken' {
    if (this.dialect.isUnavailable(error)) throw error;
    this.warn(error);
    return 'taken';
  }

  private warn(error: unknown): void {
    this.warning.log({ message: 'Handlers could not be notified of events; retrying.', err: error });
  }
}

function countMessages(dispatches: readonly Dispatch[]): number {
  return dispatches.reduce((sum, { recipients }) => sum + recipients.length, 0);
}
