import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { DeliveryLimits } from '../../deliveries/queue/delivery-limits';
import { Clock } from '../../platform/common/clock';
import { Dialect } from '../../platform/database/dialect';
import type { LogState } from '../../platform/database/events/event-numbers';
import { rowLock } from '../../platform/database/row-lock';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { Quotas } from '../../platform/quotas/quotas';
import { ThrottledLog } from '../../platform/observability/logging';
import { EventMessages } from '../subscriptions/event-messages';
import { EventPresenter, type EventRow } from '../event-presenter';
import { EventSources } from '../event-sources';
import { type Subscription, Subscriptions } from '../subscriptions/subscriptions';
import { HandlerReplay } from './replay.entity';

/** Events per cycle, and pending at a time: so few that the handler's new events hardly wait. */
const MESSAGES_PER_BATCH = 8;
/** Rows of the log read per cycle. */
const EVENTS_PER_READ = 200;
/** Replays tried per cycle, until one can send: their handlers may all be slow. */
const MAX_REPLAYS_PER_CYCLE = 20;
/** Wait while no handler with a replay can take more; doubles from the minimum to the maximum. */
const [MIN_WAIT_MS, MAX_WAIT_MS] = [20, 300];

/**
 * Sends the events of replays, one batch of one replay in each cycle of the dispatcher. Messages are written in the transaction that
 * moves the replay's position, so that no event is sent twice or lost, even if the process is killed.
 */
@Injectable()
export class Replayer {
  private readonly warning: ThrottledLog;
  private lastAccount = 0;
  private readonly lastHandlers = new Map<number, number>();
  private waitMs = MIN_WAIT_MS;

  constructor(
    @InjectRepository(HandlerReplay) private readonly replays: Repository<HandlerReplay>,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly subscriptions: Subscriptions,
    private readonly presenter: EventPresenter,
    private readonly sources: EventSources,
    private readonly eventMessages: EventMessages,
    private readonly limits: DeliveryLimits,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {
    this.warning = new ThrottledLog(new Logger(Replayer.name), clock);
  }

  /** Returns how long to wait before the next batch; infinite if there is no replay, or each waits for the next day. */
  async advance(state: LogState): Promise<number> {
    const now = this.clock.now();
    const all = await this.replays.find({ order: { account_id: 'ASC', handler_id: 'ASC' } });
    const replays = all.filter(({ share, share_ends }) => share > 0 || share_ends <= now);
    if (replays.length === 0) return Infinity;
    for (const replay of this.roundRobin(replays).slice(0, MAX_REPLAYS_PER_CYCLE)) {
      this.lastAccount = replay.account_id;
      this.lastHandlers.set(replay.account_id, replay.handler_id);
      const isMoved = await this.send(replay, state).catch((error: unknown) => this.isolateError(error));
      if (!isMoved) continue;
      this.waitMs = MIN_WAIT_MS;
      return 0;
    }
    this.waitMs = Math.min(2 * this.waitMs, MAX_WAIT_MS);
    return this.waitMs;
  }

  /** Takes accounts in turn, and an account's handlers in turn, starting after the last one served. */
  private roundRobin(replays: readonly HandlerReplay[]): HandlerReplay[] {
    const accounts = rotatedToAfter([...new Set(replays.map(({ account_id }) => account_id))], this.lastAccount, (id) => id);
    const queues = accounts.map((accountId) => {
      const own = replays.filter(({ account_id }) => account_id === accountId);
      return rotatedToAfter(own, this.lastHandlers.get(accountId) ?? 0, ({ handler_id }) => handler_id);
    });
    const longest = Math.max(...queues.map(({ length }) => length));
    return Array.from({ length: longest }, (_, round) => queues.flatMap((queue) => queue.slice(round, round + 1))).flat();
  }

  /** When a replay of the account, or of any, can send its next batch: 0 for now, infinite while receivers are slow. */
  async nextDue(accountId?: number): Promise<number> {
    let due = Infinity;
    for (const replay of await this.replays.findBy(accountId === undefined ? {} : { account_id: accountId })) {
      const [subscription] = await this.subscriptions.findEnabled(replay.account_id, replay.handler_id);
      const pausedUntil = subscription && (await this.waitsUntil(replay, subscription));
      if (pausedUntil) due = Math.min(due, pausedUntil);
      else if (!subscription || (await this.remainingRoom(replay, subscription)) > 0) return 0;
    }
    return due;
  }

  /** When the replay may continue, in milliseconds since 1970, if it has used up its share of the day's limit; otherwise undefined. */
  async waitsUntil(replay: HandlerReplay, { channel }: Subscription): Promise<number | undefined> {
    const share = await this.remainingShare(replay, channel);
    return share?.number === 0 ? share.end : undefined;
  }

  /** Returns false if too many of the handler's events are still pending, or another process is faster. */
  private async send(replay: HandlerReplay, state: LogState): Promise<boolean> {
    const { account_id: accountId, handler_id, number, event_id: id, end_number: end } = replay;
    const [subscription] = await this.subscriptions.findEnabled(accountId, handler_id);
    if (!subscription) return (await this.replays.delete({ ...replay })).affected !== 0; // but not a replay that was started since
    const room = await this.remainingRoom(replay, subscription);
    if (room === 0) return false;
    const share = await this.remainingShare(replay, subscription.channel);
    const rows = await this.presenter.find(accountId, { epoch: state.epoch, number, id }, end, EVENTS_PER_READ);
    const wanted = rows.filter((row) => this.isInRange(row, replay) && subscription.types.has(this.sources.typeOf(row) ?? ''));
    if (share?.number === 0 && wanted.length > 0) {
      await this.replays.update({ ...replay }, { share: 0, share_ends: share.end }); // skipped until then
      return false;
    }
    const batch = wanted.slice(0, Math.min(room, share?.number ?? Infinity));
    const last = batch.length < wanted.length ? batch[batch.length - 1] : rows.at(-1);
    const isOver = batch.length === wanted.length && (rows.length < EVENTS_PER_READ || !isBefore(rows[EVENTS_PER_READ - 1], replay));
    const dispatches = await this.eventMessages.prepare(accountId, state, batch, () => [subscription]);
    return this.executor.run(async (transaction) => {
      const { manager } = transaction;
      if (!(await manager.findOne(HandlerReplay, { where: replay, lock: rowLock(manager, 'skip_locked') }))) return false;
      await this.eventMessages.write(transaction, accountId, dispatches, true);
      // The quota is locked after the lanes, as by a claim. Taking it now ensures that no delivery meets a limit reached meanwhile.
      if (share && (await this.quotas.consumeUpTo(transaction, accountId, share.quota, batch.length, this.clock.now())) < batch.length)
        throw new ShareUsedUp();
      const left = share && batch.length > 0 && { share: share.number - batch.length, share_ends: share.end };
      const position = { number: last?.number, event_id: last && last.id + 1, sent: replay.sent + batch.length };
      if (isOver) await manager.delete(HandlerReplay, { handler_id });
      else await manager.update(HandlerReplay, { handler_id }, { ...position, ...left });
      return true;
    });
  }

  /** How many messages a replay may still send today: half of what remained of the daily limit at its start. Undefined without a limit. */
  private async remainingShare({ account_id, share, share_ends }: HandlerReplay, channel: string) {
    const quota = this.limits.dailyQuota(channel);
    if (!quota) return undefined;
    const { remaining, end } = await this.quotas.findRemaining(account_id, quota);
    return { quota, end, number: Number(share_ends) === end ? Math.min(share, remaining) : Math.floor(remaining / 2) };
  }

  private async remainingRoom({ account_id }: HandlerReplay, { handlerId, channel }: Subscription): Promise<number> {
    return Math.max(0, MESSAGES_PER_BATCH - (await this.limits.countWaiting(account_id, { handlerId, type: channel })));
  }

  private isInRange(row: EventRow, replay: HandlerReplay): boolean {
    return isBefore(row, replay) && row.datetime >= replay.min_datetime && row.datetime <= replay.max_datetime;
  }

  /** Keeps one replay's error from stopping the others. @throws the error, if the database is unavailable */
  private isolateError(error: unknown): false {
    if (error instanceof ShareUsedUp) return false;
    if (this.dialect.isUnavailable(error)) throw error;
    this.warning.log({ message: 'A replay could not continue; retrying.', err: error });
    return false;
  }
}

/** Thrown when other messages have used up the daily limit since a batch was started. */
class ShareUsedUp extends Error {}

/** Whether a row comes before the end of the replay. */
function isBefore({ number, id }: EventRow, { end_number, end_event_id }: HandlerReplay): boolean {
  return number < end_number || (number === end_number && id < end_event_id);
}

/** All of the sorted items, rotated to begin after the one with this id. */
function rotatedToAfter<T>(items: readonly T[], id: number, idOf: (item: T) => number): T[] {
  const index = items.findIndex((item) => idOf(item) > id);
  return index === -1 ? [...items] : [...items.slice(index), ...items.slice(0, index)];
}
