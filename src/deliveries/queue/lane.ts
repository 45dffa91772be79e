import { Injectable } from '@nestjs/common';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Dialect, type RowValues, type SqlExecutor } from '../../platform/database/dialect';
import { inList, insertRows } from '../../platform/database/value-lists';
import { DueRows, inFairOrder } from '../../platform/jobs/due-rows';
import { type AttemptResult, DEADLINE_MS, type Ending, hasResult, type Pending } from './claim';
import type { Slots, SlotUse } from './slots';

/** TypeORM's name for the index on `account_id, is_slow, available`. */
const LANES_OF_ACCOUNT = 'IDX_3557153935b29206579a2a2141';

/**
 * Deliveries that share a limit: those of one handler, or an account's Twilio calls. Claiming starts from the lanes that are due,
 * so it never scans one lane's backlog to find another lane's deliveries. The row's lock serializes claims. No foreign key to the
 * account: every claim would lock the account's row.
 */
@Entity('delivery_lanes')
@Index(['is_slow', 'available'])
@Index(['account_id', 'is_slow', 'available'])
export class DeliveryLane {
  @Column({ type: 'int' })
  account_id: number;

  /** See `laneOf`. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  lane: string;

  /** When a claim is worth trying, in milliseconds since 1970; null when nothing is pending. */
  @Column({ type: 'bigint', nullable: true })
  available: number | null;

  /** The receiver asked for no attempt before this time; 0 if it never did. */
  @Column({ type: 'bigint' })
  paused_until: number;

  /** Whether the last attempt took longer than a second. */
  @Column({ type: 'boolean' })
  is_slow: boolean;

  /** Duration of the last attempt; null before the first has ended. */
  @Column({ type: 'int', nullable: true })
  last_ms: number | null;

  /** When the last attempt was claimed. */
  @Column({ type: 'bigint' })
  last_claim: number;
}

/** A lane's state; times in milliseconds since 1970. */
export interface Lane {
  readonly name: string;
  readonly accountId: number;
  /** When a claim is worth trying; null when nothing is pending. */
  available: number | null;
  pausedUntil: number;
  /** Whether the last attempt took longer than a second. */
  isSlow: boolean;
  /** How long the last attempt took; null before the first has ended. */
  lastMs: number | null;
  lastClaim: number;
  /** Deliveries with a lease, even a lapsed one. Set, like the next two, once `Claimer` has read the lane's deliveries. */
  inFlight: number;
  /** When the oldest lease started; infinite without one. */
  oldestLease: number;
  /** The first deliveries without a lease, by due time. */
  waiting: Pending[];
}

export interface Recipient {
  handlerId: number;
  type: string;
}

/** Concurrent attempts per lane, across all processes. */
export const MAX_IN_FLIGHT = 4;
const FAST_MS = 1_000;
const PACE_MS = 1_000;
/** Types whose services accept one message a second. */
const PACED = new Set(['slack', 'telegram', 'twilio_call']);

/** The lane of a delivery: its handler's, except that an account's Twilio calls share one. */
export function laneOf({ type, handlerId }: Recipient, accountId: number): string {
  return type === 'twilio_call' ? `${type}:account:${accountId}` : `${type}:${handlerId}`;
}

/** How many deliveries may be claimed now, given the room, pauses and pace. */
export function capacityOf(lane: Lane, now: number): number {
  if (now < nextClaimTime(lane)) return 0;
  return isPaced(lane) ? Math.min(freeAttempts(lane), 1) : freeAttempts(lane);
}

/** When the next claim is allowed if there is room. */
export function nextClaimTime(lane: Lane): number {
  return Math.max(lane.pausedUntil, isPaced(lane) ? lane.lastClaim + PACE_MS : 0);
}

/** How many more attempts may be in flight. After a timeout, one at a time, so that a hanging receiver holds few slots. */
export function freeAttempts({ lastMs, inFlight }: Lane): number {
  return Math.max(0, ((lastMs ?? 0) >= DEADLINE_MS ? 1 : MAX_IN_FLIGHT) - inFlight);
}

export function slotUseOf({ isSlow, lastMs, inFlight }: Lane): SlotUse {
  if (isSlow) return 'slow';
  if (lastMs !== null) return 'fast';
  return inFlight === 0 ? 'first' : 'untried';
}

/** Updates the lane with the receiver's speed, and the wait it asked for. */
export function noteEnding(lane: Lane, ending: Ending): void {
  if (!hasResult(ending)) return;
  const { outcome, isFinal, retryAfterMs = 0 } = ending.verdict;
  if (outcome !== 'daily_limit') {
    lane.lastMs = durationOf(ending);
    lane.isSlow = lane.lastMs > FAST_MS;
  }
  if (!isFinal) lane.pausedUntil = Math.max(lane.pausedUntil, ending.time + retryAfterMs);
}

/** DEADLINE_MS or more stands for no answer: a paid type's timeout is `unknown`, and a mail server may answer later than that. */
function durationOf({ verdict: { outcome, status }, durationMs }: AttemptResult): number {
  if (outcome === 'timeout') return DEADLINE_MS;
  return status === null ? durationMs : Math.min(durationMs, DEADLINE_MS - 1);
}

function isPaced({ name }: Lane): boolean {
  return PACED.has(name.slice(0, name.indexOf(':')));
}

interface DueLanes {
  /** Lanes for which a slot is free; those of the accounts with the fewest slots in use come first. */
  lanes: Lane[];
  /** Accounts of the due lanes that were read. */
  accounts: Set<number>;
}

const COLUMNS = ['lane', 'account_id', 'available', 'paused_until', 'is_slow', 'last_ms', 'last_claim'];
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM delivery_lanes`;
/** Due lanes locked per cycle. */
const MAX_LANES = 64;

type LaneRow = [
  name: string,
  accountId: number,
  available: number | null,
  pausedUntil: number,
  isSlow: number,
  lastMs: number | null,
  lastClaim: number,
];

/** Finds, locks and saves lanes. */
@Injectable()
export class LaneTable {
  private readonly prompt = this.dueRows(0);
  private readonly slow = this.dueRows(1);

  constructor(private readonly dialect: Dialect) {}

  /** When the next lane that these slots have room for is due; infinite if nothing is pending. */
  async nextDue(slots: Slots, accountId?: number): Promise<number> {
    return Math.min(...(await Promise.all(this.readableWith(slots).map((rows) => rows.nextDue(accountId)))));
  }

  async findDue(slots: Slots, now: number): Promise<DueLanes> {
    if (slots.isFull) return { lanes: [], accounts: new Set() };
    const found = await Promise.all(this.readableWith(slots).map((rows) => rows.find<LaneRow>(now)));
    const due = found.flat().map(toLane);
    const accounts = new Set(due.map(({ accountId }) => accountId));
    const plan = slots.copy(accounts);
    const inOrder = inFairOrder(due, (accountId) => slots.usedBy(accountId));
    const lanes = inOrder.filter((lane) => plan.tryTake(lane.accountId, slotUseOf(lane)));
    return { lanes: lanes.slice(0, MAX_LANES), accounts };
  }

  /** Waits for locks, in a fixed order, so that transactions can't deadlock. */
  async lock(statements: SqlExecutor, names: readonly string[]): Promise<Lane[]> {
    if (names.length === 0) return [];
    const { sql, values } = inList([...names].sort());
    const rows = await statements.read<LaneRow>(`${SELECT} WHERE lane IN ${sql} ORDER BY lane${this.dialect.sql.forUpdate}`, values);
    return rows.map(toLane);
  }

  /** Locks the named lanes that are still due, and leaves out those that another process has locked. */
  async lockDue(statements: SqlExecutor, names: readonly string[], now: number): Promise<Lane[]> {
    if (names.length === 0) return [];
    const { sql, values } = inList(names);
    const due = `${SELECT} WHERE lane IN ${sql} AND available <= ?${this.dialect.sql.forUpdateSkipLocked}`;
    const rows = await statements.read<LaneRow>(due, [...values, now]);
    return rows.map(toLane);
  }

  async save(statements: SqlExecutor, lanes: readonly Lane[]): Promise<void> {
    const suffix = { sql: this.dialect.sql.upsertClause('lane', COLUMNS.slice(2)) };
    const rows = lanes.map((lane) => {
      const { name, accountId, available, pausedUntil, isSlow, lastMs, lastClaim } = lane;
      return [name, accountId, available, pausedUntil, Number(isSlow), lastMs, lastClaim];
    });
    await insertRows(statements, 'delivery_lanes', COLUMNS, rows, suffix);
  }

  /** Makes lanes due by these times, adding missing ones. In a fixed order, so that transactions can't deadlock. */
  async wake(statements: SqlExecutor, accountId: number, dues: ReadonlyMap<string, number>): Promise<void> {
    const inOrder = [...dues].sort(([a], [b]) => (a < b ? -1 : 1));
    const rows = inOrder.map(([name, due]): RowValues => [name, accountId, due, 0, 0, null, 0]);
    const time = this.dialect.sql.insertedValue('available');
    const earlier = `available = CASE WHEN available IS NULL OR available > ${time} THEN ${time} ELSE available END`;
    const suffix = { sql: `${this.dialect.sql.upsertPrefix('lane')} ${earlier}` };
    await insertRows(statements, 'delivery_lanes', COLUMNS, rows, suffix);
  }

  /** Leaves out slow lanes while no slot is free for them. */
  private readableWith({ hasRoomForSlow }: Slots): DueRows[] {
    return hasRoomForSlow ? [this.prompt, this.slow] : [this.prompt];
  }

  private dueRows(isSlow: 0 | 1): DueRows {
    return new DueRows(this.dialect, {
      table: 'delivery_lanes',
      columns: COLUMNS.join(', '),
      due: 'available',
      condition: `is_slow = ${isSlow}`,
      accounts: 'accounts',
      accountIndex: LANES_OF_ACCOUNT,
      rowsPerAccount: 4,
    });
  }
}

function toLane([name, accountId, available, pausedUntil, isSlow, lastMs, lastClaim]: LaneRow): Lane {
  const unread = { inFlight: 0, oldestLease: Infinity, waiting: [] };
  return { name, accountId, available, pausedUntil, isSlow: isSlow === 1, lastMs, lastClaim, ...unread };
}
