import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { DeliveryLimits } from '../../deliveries/queue/delivery-limits';
import { NotificationHandler } from '../../notification-handlers/notification-handler.entity';
import { Clock } from '../../platform/common/clock';
import { RecordNotFound, RequestError } from '../../platform/common/errors';
import { DAY_MS, MINUTE_MS, timestamp } from '../../platform/common/time';
import { operatorContext, type WriteContext } from '../../platform/common/write-context';
import { Config } from '../../platform/config/config';
import { logAuditedEvent } from '../../platform/database/events/event-log';
import { EventNumbers, type LogState } from '../../platform/database/events/event-numbers';
import { rowLock } from '../../platform/database/row-lock';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { EventPresenter, type Position } from '../event-presenter';
import { EventSources, type LoggedChange } from '../event-sources';
import { parseCursor } from '../feed.service';
import { Subscriptions } from '../subscriptions/subscriptions';
import { TIME_OR_CURSOR } from '../event-fields';
import type { ReplayRecord, ReplayRange, StartReplay } from './replay.dto';
import { HandlerReplay } from './replay.entity';
import { Replayer } from './replayer';

/** A replay gets half of a daily limit, so a limit of 1 leaves it nothing. */
const MIN_DAILY_LIMIT = 2;
const NOUN = 'notification handler';
/** How far out of order the times of neighbouring events may be: longer than any transaction. */
const MAX_OUT_OF_ORDER_MS = 10 * MINUTE_MS;
const [MIN_TIME, MAX_TIME] = ['0000-01-01 00:00:00', '9999-12-31 23:59:59'];

type ReplayBounds = Omit<HandlerReplay, 'handler_id' | 'account_id' | 'handler' | 'sent' | 'share' | 'share_ends'>;

/** Starts, shows and ends replays, which `Replayer` sends. */
@Injectable()
export class ReplaysService {
  constructor(
    @InjectRepository(HandlerReplay) private readonly replays: Repository<HandlerReplay>,
    private readonly executor: WriteExecutor,
    private readonly numbers: EventNumbers,
    private readonly presenter: EventPresenter,
    private readonly sources: EventSources,
    private readonly subscriptions: Subscriptions,
    private readonly replayer: Replayer,
    private readonly limits: DeliveryLimits,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Null if none is in progress. @throws RecordNotFound */
  async find(accountId: number, handlerId: number): Promise<ReplayRecord | null> {
    await this.subscriptions.find(accountId, handlerId);
    const replay = await this.replays.findOneBy({ handler_id: handlerId });
    if (!replay) return null;
    const { from_datetime: from, until_datetime: until, sent } = replay;
    const [subscription] = await this.subscriptions.findEnabled(accountId, handlerId);
    const waitsUntil = subscription && (await this.replayer.waitsUntil(replay, subscription));
    return { from, until, sent, left: await this.countLeft(replay), waits_until: waitsUntil ? timestamp(waitsUntil) : null };
  }

  /** @throws RecordNotFound, RequestError 400, 409 and 410, RequestError 403 */
  async start(context: WriteContext, handlerId: number, range: StartReplay): Promise<ReplayRange> {
    const { accountId } = context;
    await this.subscriptions.find(accountId, handlerId);
    const bounds = await this.findBounds(accountId, await this.numbers.numberEvents(), range);
    const replay = { handler_id: handlerId, account_id: accountId, ...bounds, sent: 0, share: 0, share_ends: 0 };
    const refused = await this.executor.run(async (transaction) => {
      const { manager } = transaction;
      const handler = await manager.findOne(NotificationHandler, {
        where: { account_id: accountId, id: handlerId },
        lock: rowLock(manager),
      });
      if (!handler) throw new RecordNotFound(NOUN);
      const subscription = await this.subscriptions.requireScopes(manager, context, handlerId);
      if (!subscription || !handler.is_enabled)
        throw RequestError.of('handler_unavailable', 'Only an enabled handler with event types can be sent events again.');
      const found = await manager.findOneBy(HandlerReplay, { handler_id: handlerId });
      if (found) return { running: found };
      const quota = this.limits.dailyQuota(handler.type);
      if (quota && quota.limit < MIN_DAILY_LIMIT)
        throw RequestError.of(
          'handler_unavailable',
          `A replay takes half of the daily limit of ${handler.type}, ${quota.limit}: ask the operator for more.`,
        );
      if (!range.confirm && this.limits.isPaid(handler.type)) return { type: handler.type };
      await manager.insert(HandlerReplay, replay);
      await logAuditedEvent(transaction, context, { action: 'replay', record: NOUN, recordId: handlerId });
      return undefined;
    });
    if (!refused) return { from: bounds.from_datetime, until: bounds.until_datetime };
    const count = await this.countLeft(refused.running ?? replay);
    if (refused.running)
      throw RequestError.of(
        'replay_in_progress',
        `A replay of this handler is in progress: ${count} events are left. Wait, or end it with DELETE.`,
      );
    const detail = `Messages sent by ${refused.type} cost money, and this replay would send ${count}. Repeat the request with confirm=1 to start it.`;
    throw RequestError.of('replay_unconfirmed', detail, { in: 'form', name: 'confirm' });
  }

  /** For the operator, in any account. @throws RecordNotFound, RequestError 400, 409 and 410 */
  async startAsOperator(handlerId: number, range: StartReplay): Promise<ReplayRange> {
    const handler = await this.replays.manager.findOneBy(NotificationHandler, { id: handlerId });
    if (!handler) throw new RecordNotFound(NOUN);
    return this.start(operatorContext(handler.account_id), handlerId, range);
  }

  /** Messages that the replay has already created are still sent. @throws RecordNotFound */
  async end(context: WriteContext, handlerId: number): Promise<null> {
    await this.subscriptions.find(context.accountId, handlerId);
    await this.executor.run(async (transaction) => {
      const { affected } = await transaction.manager.delete(HandlerReplay, { handler_id: handlerId });
      if (affected !== 0) await logAuditedEvent(transaction, context, { action: 'end_replay', record: NOUN, recordId: handlerId });
    });
    return null;
  }

  /** @throws RequestError 400 and 410 */
  private async findBounds(accountId: number, state: LogState, { from, until }: StartReplay): Promise<ReplayBounds> {
    const now = this.clock.now();
    const { last } = state;
    const start = await this.findStart(accountId, state, from);
    let end = { number: last + 1, id: 0, datetime: timestamp(now), max: MAX_TIME };
    if (until instanceof Date && until.getTime() < now) {
      const { number } = await this.findNumberNear(accountId, state, until.getTime() + MAX_OUT_OF_ORDER_MS);
      end = { number, id: 0, datetime: timestamp(until), max: timestamp(until) };
    } else if (typeof until === 'string') {
      const position = parseCursor(until, accountId, state, { in: 'form', name: 'until' }, TIME_OR_CURSOR.expected);
      end = { ...end, ...position, datetime: await this.timeAt(accountId, position, last, now) };
    }
    const isBackwards =
      (from instanceof Date && from.getTime() > now) ||
      end.number < start.number ||
      (end.number === start.number && end.id < start.id) ||
      end.datetime < start.datetime;
    if (isBackwards)
      throw RequestError.of('invalid_parameter', 'from must not be after until, which defaults to now.', { in: 'form', name: 'from' });
    return {
      number: start.number,
      event_id: start.id,
      end_number: end.number,
      end_event_id: end.id,
      min_datetime: start.min,
      max_datetime: end.max,
      from_datetime: start.datetime,
      until_datetime: end.datetime,
    };
  }

  /** @throws RequestError 400 and 410 */
  private async findStart(accountId: number, state: LogState, from: string | Date) {
    const now = this.clock.now();
    const source = { in: 'form', name: 'from' } as const;
    if (typeof from === 'string') {
      const position = parseCursor(from, accountId, state, source, TIME_OR_CURSOR.expected);
      return { ...position, datetime: await this.timeAt(accountId, position, state.last, now), min: MIN_TIME };
    }
    const keptSince = timestamp(now - this.config.eventsKeepDays * DAY_MS);
    if (from.getTime() < Date.parse(`${keptSince.replace(' ', 'T')}Z`))
      throw RequestError.of('cursor_expired', `Events before ${keptSince} are no longer kept: give a later time.`, source);
    return {
      ...(await this.findNumberNear(accountId, state, from.getTime() - MAX_OUT_OF_ORDER_MS, 1)),
      datetime: timestamp(from),
      min: timestamp(from),
    };
  }

  /** The time of the first event from a position on; now if there is none. */
  private async timeAt(accountId: number, position: Position, last: number, now: number): Promise<string> {
    const [row] = await this.presenter.find(accountId, position, last, 1);
    return row?.datetime ?? timestamp(now);
  }

  /**
   * Finds the number of the first event after a time, give or take MAX_OUT_OF_ORDER_MS, by binary search. `earlier`: how many numbers to go
   * back, since events that share a number may be far apart in time.
   */
  private async findNumberNear(accountId: number, { floor, last, epoch }: LogState, time: number, earlier = 0): Promise<Position> {
    const datetime = timestamp(time);
    let [low, high] = [floor + 1, last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [row] = await this.presenter.find(accountId, { epoch, number: middle, id: 0 }, high - 1, 1);
      if (row && row.datetime < datetime) low = row.number + 1;
      else high = middle;
    }
    return { epoch, number: Math.max(floor + 1, low - earlier), id: 0 };
  }

  private async countLeft(replay: HandlerReplay): Promise<number> {
    const { account_id, handler_id, number, event_id, end_number, end_event_id, min_datetime, max_datetime } = replay;
    const [subscription] = await this.subscriptions.findEnabled(account_id, handler_id);
    const [start, end] = [
      { number, id: event_id },
      { number: end_number, id: end_event_id },
    ];
    const counts = await this.presenter.count(account_id, start, end, [min_datetime, max_datetime]);
    const isWanted = (change: LoggedChange) => subscription?.types.has(this.sources.typeOf(change) ?? '') ?? false;
    return counts.filter(isWanted).reduce((sum, { count }) => sum + count, 0);
  }
}
