import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { timestamp } from '../../common/time';
import { Dialect, type SqlExecutor } from '../../database/dialect';
import { inList, insertRows } from '../../database/value-lists';
import { WriteExecutor } from '../../database/writes/transactions';
import { inFairOrder } from '../../jobs/due-rows';
import { CHANNELS } from '../channels/channel-table';
import { type Failure, FailureLog } from '../failure-log';
import { noAnswer, type Settlement, type SlotClaim } from './claim';
import { Claimer } from './claimer';
import { type DueLane, DueLanes } from './due-lanes';
import { laneOf, type Recipient } from './lane';
import { LaneTable } from './lane-table';
import { type LanePending, type Pending, PendingReader } from './pending-reader';
import { Settler } from './settler';
import { Slots } from './slots';

const NEW_COLUMNS = [
  ...['account_id', 'message_id', 'handler_id', 'type', 'lane', 'status', 'attempts', 'tries', 'next_attempt', 'is_counted'],
  'datetime',
];

export interface NewDeliveries {
  accountId: number;
  messageId: number;
  recipients: readonly Recipient[];
  /** Milliseconds since 1970. */
  now: number;
}

const FIND_HANDLER = 'SELECT type, is_enabled FROM notification_handlers WHERE account_id = ? AND id = ?';
const RETRY = "UPDATE deliveries SET status = 'pending', tries = 0, next_attempt = ?, last_datetime = ? WHERE id = ?";

const WITHDRAWN = `+account_id = ? AND +handler_id = ? AND lease IS NULL AND next_attempt >= 0 AND NOT EXISTS
  (SELECT 1 FROM notification_handlers WHERE id = deliveries.handler_id AND is_enabled = 1 AND type = deliveries.type)`;
/** Per transaction. */
const MAX_CANCELLED = 500;
const FIND_WITHDRAWN = `SELECT id FROM deliveries WHERE ${WITHDRAWN} AND lane IN`;
const CANCEL = `UPDATE deliveries SET status = 'cancelled', next_attempt = NULL, last_datetime = ? WHERE ${WITHDRAWN} AND id IN`;

/**
 * The queue of deliveries is the database. One transaction, a cycle, writes how attempts ended and claims the next ones: few
 * transactions, however many attempts end meanwhile.
 */
@Injectable()
export class DeliveryQueue {
  /** Claims of cycles that failed, perhaps after the commit: given back with the next cycle. */
  private uncertain: Settlement[] = [];
  private readonly failureLog = new FailureLog(this.clock);

  constructor(
    private readonly lanes: LaneTable,
    private readonly dueLanes: DueLanes,
    private readonly reader: PendingReader,
    private readonly claimer: Claimer,
    private readonly settler: Settler,
    private readonly executor: WriteExecutor,
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {}

  /** Adds a message's deliveries in the message's transaction, due now. Wakes the lanes last, since their locks are contended. */
  async enqueue(statements: SqlExecutor, { accountId, messageId, recipients, now }: NewDeliveries): Promise<void> {
    const datetime = timestamp(new Date(now));
    const named = recipients.map((recipient) => ({ ...recipient, name: laneOf(recipient, accountId), accountId }));
    const rows = named.map(({ handlerId, type, name }) => [accountId, messageId, handlerId, type, name, 'pending', 0, 0, now, 0, datetime]);
    await insertRows(statements, 'deliveries', NEW_COLUMNS, rows);
    await this.lanes.wake(statements, named, now);
  }

  /** Makes a finished delivery due now. */
  async retry(
    statements: SqlExecutor,
    { id, accountId, ...recipient }: Recipient & { id: number; accountId: number },
    now: number,
  ): Promise<void> {
    await statements.write(RETRY, [now, timestamp(new Date(now)), id]);
    await this.lanes.wake(statements, [{ name: laneOf(recipient, accountId), accountId }], now);
  }

  /** Cancels what a handler that is disabled or of another type now has pending, except attempts at work. */
  async cancel(accountId: number, handlerId: number): Promise<void> {
    const [handler] = await this.dialect.read<[type: string, isEnabled: number]>(FIND_HANDLER, [accountId, handlerId]);
    if (!handler) return;
    const [type, isEnabled] = handler;
    // Nothing in the lane of an enabled handler is withdrawn: searching a million pending deliveries takes 1.5 s.
    const types = [...CHANNELS.keys()].filter((each) => each !== type || !isEnabled);
    const lanes = inList(types.map((each) => laneOf({ type: each, handlerId }, accountId)));
    const find = `${FIND_WITHDRAWN} ${lanes.sql} LIMIT ${MAX_CANCELLED}`;
    for (;;) {
      const found = await this.dialect.read(find, [accountId, handlerId, ...lanes.values], { table: 'deliveries', accountId });
      if (found.length === 0) return;
      const { sql, values } = inList(found.map(([id]) => id));
      const now = timestamp(new Date(this.clock.now()));
      await this.executor.runWithRetries((statements) => statements.write(`${CANCEL} ${sql}`, [now, accountId, handlerId, ...values]));
    }
  }

  /** When the next lane is due that these slots have room for; undefined when nothing is pending. */
  nextDue(slots: Slots): Promise<number | undefined> {
    return this.dueLanes.next(slots);
  }

  /** Settles, and claims what is due. */
  async cycle(settlements: readonly Settlement[], slots: Slots): Promise<SlotClaim[]> {
    const now = this.clock.now();
    // While it is open what the last cycle has claimed, nothing more: a full disk fails every COMMIT.
    const usable = this.uncertain.length > 0 ? new Slots(0) : slots;
    const due = await this.dueLanes.find(usable, now);
    const all = [...this.uncertain, ...settlements];
    if (due.lanes.length === 0 && all.length === 0) return [];
    let claims: SlotClaim[] = [];
    let failures: Failure[] = [];
    try {
      await this.executor.runWithRetries(async (statements) => {
        failures = [];
        const pending = await this.settle(statements, all, due.lanes, usable, now, failures);
        for (const { lane, waiting } of pending) if (isDue(waiting, now)) due.accounts.add(lane.accountId);
        claims = await this.claimer.take(statements, pending, usable.copy(due.accounts), now);
        const lanes = pending.map(({ lane }) => lane);
        await this.lanes.save(statements, lanes);
      });
      this.uncertain = [];
      this.failureLog.log(failures);
      return claims;
    } catch (error) {
      this.uncertain.push(...claims.map((claim) => ({ claim, ending: 'given back' as const })));
      throw error;
    }
  }

  /** Locks the lanes of these settlements and those that are due, settles, adds to `failures`, and returns what the lanes have pending. */
  private async settle(
    statements: SqlExecutor,
    settlements: readonly Settlement[],
    due: readonly DueLane[],
    slots: Slots,
    now: number,
    failures: Failure[],
  ): Promise<LanePending[]> {
    const dueNames = due.map(({ name }) => name);
    const ownNames = new Set(settlements.map(({ claim }) => claim.lane));
    const otherNames = dueNames.filter((name) => !ownNames.has(name));
    const own = await this.lanes.lock(statements, [...ownNames], now);
    const others = await this.lanes.lockDue(statements, otherNames, now);
    const inOrder = [...others.sort((a, b) => dueNames.indexOf(a.name) - dueNames.indexOf(b.name)), ...own];
    const locked = inFairOrder(inOrder, (accountId) => slots.usedBy(accountId));
    const byName = new Map(locked.map((lane) => [lane.name, lane]));
    failures.push(...(await this.settler.apply(statements, settlements, byName, now)));
    const pending = await this.reader.read(statements, locked, now);
    const lapsed = pending.flatMap((each) => each.lapsed.map((delivery) => lapse(delivery, now)));
    if (lapsed.length === 0) return pending;
    failures.push(...(await this.settler.apply(statements, lapsed, byName, now)));
    return this.reader.read(statements, locked, now);
  }
}

function isDue([next]: readonly Pending[], now: number): boolean {
  return next !== undefined && next.nextAttempt <= now;
}

/** The attempt of a process that has ended, or lost its database. */
function lapse({ lease, started, ...rest }: Pending, now: number): Settlement {
  const claim = { ...rest, lease: lease!, started: started!, isOverLimit: false };
  return { claim, ending: { ...noAnswer(claim, now), hasLapsed: true } };
}
