import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../platform/common/clock';
import { operatorContext } from '../platform/common/write-context';
import { Config } from '../platform/config/config';
import { Dialect } from '../platform/database/dialect';
import { rowLock } from '../platform/database/row-lock';
import { UNDISPATCHED } from '../platform/database/events/event.entity';
import { EventNumbers, type LogState } from '../platform/database/events/event-numbers';
import { describeImport, type EventText, plainText } from '../platform/database/events/event-types';
import { WriteExecutor } from '../platform/database/writes/transactions';
import { AccountMessages, fitMessage } from '../deliveries/messages/account-messages';
import { Background, PollLoop } from '../platform/jobs/background';
import { ThrottledLog } from '../platform/observability/logging';
import { EventPresenter, type EventRow } from './event-presenter';
import type { EventRecord } from './event.dto';
import { EventSources } from './event-sources';
import { EventCursor } from './subscription.entity';
import { type Subscription, Subscriptions } from './subscriptions';

const POLL_MS = 300;
/** How often to search all accounts for events that a killed process has left undispatched. */
const SWEEP_MS = 5_000;
/** Events per account and transaction, to keep locks short and accounts' turns fair. */
const BATCH = 25;
/** Messages per transaction, unless one event alone makes more: an account may have 1,000 handlers. */
const MAX_MESSAGES = 100;
/** How long an extension may take to describe an event; after that, a plain text is sent. */
const MAX_DESCRIBING_MS = 5_000;
/** Fits MySQL's type TEXT, of 65,535 bytes. */
const MAX_BODY_BYTES = 60_000;

const FIND_NEWS = `SELECT DISTINCT audit.account_id FROM audit JOIN event_cursors cursors ON cursors.account_id = audit.account_id
  WHERE audit.number > ? AND audit.number <= ?`;
const SWEEP = `SELECT account_id FROM event_cursors cursors WHERE EXISTS (SELECT 1 FROM audit WHERE ${UNDISPATCHED})`;

interface Dispatch {
  row: EventRow;
  event: EventRecord;
  text: EventText;
  recipients: Subscription[];
}

/**
 * Notifies handlers of events, with a message per handler and event. Messages are written in the transaction that moves the account's
 * cursor, so that no event is sent twice or lost, even if the process is killed. One batch per account and cycle.
 */
@Injectable()
export class Dispatcher {
  private readonly warning = new ThrottledLog(new Logger(Dispatcher.name), this.clock);
  /** Accounts that may have undispatched events, the next one first. */
  private readonly pending = new Set<number>();
  private seen = 0;
  private swept = -Infinity;
  readonly loop = new PollLoop({ cycle: () => this.cycle(), onError: (error) => this.warn(error) });

  constructor(
    @InjectRepository(EventCursor) private readonly cursors: Repository<EventCursor>,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly numbers: EventNumbers,
    private readonly subscriptions: Subscriptions,
    private readonly presenter: EventPresenter,
    private readonly sources: EventSources,
    private readonly messages: AccountMessages,
    private readonly config: Config,
    private readonly clock: Clock,
    background: Background,
  ) {
    background.add(this);
  }

  /** Off with DELIVERY_CONCURRENCY=0, as deliveries are. */
  start(): void {
    if (this.config.deliveries.concurrency > 0) this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** 0 while events are undispatched or being dispatched, otherwise infinite: no event is due at a later time. */
  async nextDue(accountId?: number): Promise<number> {
    if (this.loop.state === 'off') return Infinity;
    await this.numbers.number();
    const rows = await this.dialect.read<[accountId: number]>(SWEEP, []);
    const isBusy = rows.some(([id]) => accountId === undefined || id === accountId);
    return isBusy || this.loop.state === 'cycling' ? 0 : Infinity;
  }

  /** Dispatches one batch for each account with new events. */
  private async cycle(): Promise<number> {
    const state = await this.numbers.number();
    await this.findNews(state);
    let hasMore = false;
    for (const accountId of [...this.pending]) {
      const left = await this.dispatch(accountId, state).catch((error: unknown) => this.postpone(error));
      if (left === 'more') hasMore = true;
      if (left === 'none') this.pending.delete(accountId);
    }
    return hasMore ? 0 : POLL_MS;
  }

  /** Every process finds the same accounts, and the first to lock the cursor dispatches. The sweep finds what a killed process has left. */
  private async findNews({ last }: LogState): Promise<void> {
    const now = this.clock.monotonic();
    const isSweep = now - this.swept >= SWEEP_MS;
    if (last <= this.seen && !isSweep) return;
    const rows = await (isSweep
      ? this.dialect.read<[accountId: number]>(SWEEP, [])
      : this.dialect.read<[accountId: number]>(FIND_NEWS, [this.seen, last]));
    for (const [accountId] of rows) this.pending.add(accountId);
    this.seen = last;
    if (isSweep) this.swept = now;
  }

  /** Notifies the account's handlers of its next events. `taken`: another process has locked or moved the cursor. */
  private async dispatch(accountId: number, state: LogState): Promise<'more' | 'none' | 'taken'> {
    const cursor = await this.cursors.findOneBy({ account_id: accountId });
    if (!cursor) return 'none';
    const { number, event_id: id } = cursor;
    const rows = await this.presenter.find(accountId, { epoch: state.epoch, number, id }, state.last, BATCH);
    if (rows.length === 0) return 'none';
    const dispatches = await this.prepare(accountId, state, rows);
    const first = dispatches.findIndex((_, index) => index > 0 && countMessages(dispatches.slice(0, index + 1)) > MAX_MESSAGES);
    const batch = first === -1 ? dispatches : dispatches.slice(0, first);
    const last = first === -1 ? rows[rows.length - 1] : batch[batch.length - 1].row;
    const isMoved = await this.executor.run(async (transaction) => {
      const { manager } = transaction;
      if (!(await manager.findOne(EventCursor, { where: cursor, lock: rowLock(manager, 'skip_locked') }))) return false;
      for (const { event, text, recipients } of batch) {
        for (const recipient of recipients) {
          const body = recipient.channel === 'webhook' ? bodyOf(event) : null;
          await this.messages.write(transaction, operatorContext(accountId), text, [{ ...recipient, type: recipient.channel }], {
            id: event.id,
            body,
          });
        }
      }
      const moved = { number: last.number, event_id: last.id + 1 };
      await manager.createQueryBuilder().update(EventCursor).set(moved).where(cursor).callListeners(false).execute();
      return true;
    });
    if (!isMoved) return 'taken';
    return first === -1 && rows.length < BATCH ? 'none' : 'more';
  }

  /** Presents the events that have subscribers, with their current records. Secrets are masked, whoever subscribed. */
  private async prepare(accountId: number, state: LogState, rows: readonly EventRow[]): Promise<Dispatch[]> {
    const subscriptions = await this.subscriptions.findEnabled(accountId);
    const recipientsOf = (row: EventRow) =>
      subscriptions.filter(({ types, since }) => row.number > since && types.has(this.sources.typeOf(row) ?? ''));
    const wanted = rows.filter((row) => recipientsOf(row).length > 0);
    const events = await this.present(accountId, state, wanted);
    return Promise.all(
      events.map(async (event, index) => {
        const text = await this.describe(wanted[index].record, event, accountId);
        return { row: wanted[index], event, text, recipients: recipientsOf(wanted[index]) };
      }),
    );
  }

  /** Leaves out a record that can't be shown, for example because its encryption key is missing, so that other events aren't held up. */
  private async present(accountId: number, state: LogState, rows: readonly EventRow[]): Promise<EventRecord[]> {
    try {
      return await this.presenter.present(state, rows, { accountId, may: () => false });
    } catch (error) {
      this.ignoreFault(error);
      if (rows.length > 1) return (await Promise.all(rows.map((row) => this.present(accountId, state, [row])))).flat();
      return (await this.presenter.present(state, rows)).map((event) => ({ ...event, current: null }));
    }
  }

  private async describe(noun: string, event: EventRecord, accountId: number): Promise<EventText> {
    if (!event.record) return describeImport(event.data);
    try {
      const options = this.sources.tableOf(noun)?.options;
      const described = options?.describeEvent?.(event, event.current ?? null, accountId);
      const text = await Promise.race([described, sleep(MAX_DESCRIBING_MS, undefined, { ref: false })]);
      return text ? fitMessage(text) : plainText(event);
    } catch (error) {
      this.ignoreFault(error);
      return plainText(event);
    }
  }

  /** @throws the error, if the database is unavailable: the batch is tried again */
  private ignoreFault(error: unknown): void {
    if (this.dialect.isUnavailable(error)) throw error;
    this.warning.log({ message: 'Handlers are notified of an event in a plainer form, because of an error.', err: error }, 'plain');
  }

  /** Keeps one account's error from the others. @throws the error, if the database is unavailable */
  private postpone(error: unknown): 'taken' {
    if (this.dialect.isUnavailable(error)) throw error;
    this.warn(error);
    return 'taken';
  }

  private warn(error: unknown): void {
    this.warning.log({ message: 'Handlers could not be notified of events; retrying.', err: error });
  }
}

/** The body of a webhook; omits the current record if it would make the body too large. */
function bodyOf({ current, ...event }: EventRecord): string {
  const envelope = (data: object) => JSON.stringify({ type: event.type, timestamp: `${event.datetime.replace(' ', 'T')}Z`, data });
  const body = envelope({ ...event, current });
  return Buffer.byteLength(body) <= MAX_BODY_BYTES ? body : envelope({ ...event, current: null });
}

function countMessages(dispatches: readonly Dispatch[]): number {
  return dispatches.reduce((sum, { recipients }) => sum + recipients.length, 0);
}
