import { Injectable } from '@nestjs/common';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Dialect, type RowValues, type SqlExecutor } from '../../platform/database/dialect';
import { inList, insertRows } from '../../platform/database/value-lists';
import { DueRows, inFairOrder } from '../../platform/jobs/due-rows';
import { type AttemptResult, ATTEMPT_DEADLINE_MS, type Ending, hasResult, type PendingDelivery } from './claim';
import type { Slots, SlotUse } from './slots';

/** TypeORM's name for the index on `account_id, is_slow, available`. */
const ACCOUNT_LANES_INDEX = 'IDX_3557153935b29206579a2a2141';

/**
 * Deliveries that share a limit: those of one handler, or an account's Twilio calls. Claiming starts from the lanes that are due,
 * so it never scans one lane's backlog to find another lane's deliveries. The row's lock serializes claims. The row
 * has no foreign key to the account, since every claim would then lock the account's row.
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
  /** Number of deliveries with a lease, even a lapsed one. `Claimer.fillLanes` sets this field and the next two. */
  inFlight: number;
  /** When the oldest lease started; infinite without one. */
  oldestLease: number;
  /** The first deliveries without a lease, by due time. */
  pending: PendingDelivery[];
}

export interface Recipient {
  handlerId: number;
  type: string;
}

/** Maximum number of concurrent attempts in a lane, across all processes. */
export const MAX_ATTEMPTS_PER_LANE = 4;
const MAX_FAST_MS = 1_000;
const PACED_INTERVAL_MS = 1_000;
/** Types whose services accept one message a second. */
const PACED_TYPES = new Set(['slack', 'telegram', 'twilio_call']);

/** The lane of a delivery: its handler's, except that an account's Twilio calls share one. */
export function laneOf({ type, handlerId }: Recipient, accountId: number): string {
  return type === 'twilio_call' ? `${type}:account:${accountId}` : `${type}:${handlerId}`;
}

/** How many deliveries may be claimed now, given the lane's room, pause and pace. */
export function capacityOf(lane: Lane, now: number): number {
  if (now < nextClaimTime(lane)) return 0;
  return isPaced(lane) ? Math.min(freeAttempts(lane), 1) : freeAttempts(lane);
}

/** When the next claim is allowed if there is room. */
export function nextClaimTime(lane: Lane): number {
  return Math.max(lane.pausedUntil, isPaced(lane) ? lane.lastClaim + PACED_INTERVAL_MS : 0);
}

/** How many more attempts may start. After a timeout, they run one at a time, so that a hanging receiver holds few slots. */
export function freeAttempts({ lastMs, inFlight }: Lane): number {
  return Math.max(0, ((lastMs ?? 0) >= ATTEMPT_DEADLINE_MS ? 1 : MAX_ATTEMPTS_PER_LANE) - inFlight);
}

export function slotUseOf({ isSlow, lastMs, inFlight }: Lane): SlotUse {
  if (isSlow) return 'slow';
  if (lastMs !== null) return 'fast';
  return inFlight === 0 ? 'first' : 'untried';
}

/** Updates the lane with the receiver's speed, and the wait it asked for. */
export function applyEnding(lane: Lane, ending: Ending): void {
  if (!hasResult(ending)) return;
  const { outcome, isFinal, retryAfterMs = 0 } = ending.verdict;
  if (outcome !== 'daily_limit') {
    lane.lastMs = durationOf(ending);
    lane.isSlow = lane.lastMs > MAX_FAST_MS;
  }
  if (!isFinal) lane.pausedUntil = Math.max(lane.pausedUntil, ending.time + retryAfterMs);
}

/** The attempt's duration, kept below ATTEMPT_DEADLINE_MS if an answer came: a mail server may take longer to answer. */
function durationOf({ verdict: { outcome, status }, durationMs }: AttemptResult): number {
  if (outcome === 'timeout') return ATTEMPT_DEADLINE_MS;
  return status === null ? durationMs : Math.min(durationMs, ATTEMPT_DEADLINE_MS - 1);
}

function isPaced({ name }: Lane): boolean {
  return PACED_TYPES.has(name.slice(0, name.indexOf(':')));
}

interface DueLanes {
  /** Lanes for which a slot is free; those of the accounts with the fewest slots in use come first. */
  lanes: Lane[];
  /** Accounts of all due lanes that were read, with or without a free slot. */
  accounts: Set<number>;
}

const LANE_COLUMNS = ['lane', 'account_id', 'available', 'paused_until', 'is_slow', 'last_ms', 'last_claim'];
const SELECT_LANES = `SELECT ${LANE_COLUMNS.join(', ')} FROM delivery_lanes`;
/** Maximum number of due lanes locked per cycle. */
const MAX_LANES_PER_CYCLE = 64;

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
  private readonly fastLanes = this.dueRows(0);
  private readonly slowLanes = this.dueRows(1);

  constructor(private readonly dialect: Dialect) {}

  /** When the next lane that these slots have room for is due; infinite if nothing is pending. */
  async nextDue(slots: Slots, accountId?: number): Promise<number> {
    return Math.min(...(await Promise.all(this.dueRowsFor(slots).map((rows) => rows.nextDue(accountId)))));
  }

  async findDue(slots: Slots, now: number): Promise<DueLanes> {
    if (slots.isFull) return { lanes: [], accounts: new Set() };
    const found = await Promise.all(this.dueRowsFor(slots).map((rows) => rows.find<LaneRow>(now)));
    const due = found.flat().map(toLane);
    const accounts = new Set(due.map(({ accountId }) => accountId));
    const plan = slots.copy(accounts);
    const inOrder = inFairOrder(due, (accountId) => slots.usedBy(accountId));
    const lanes = inOrder.filter((lane) => plan.tryTake(lane.accountId, slotUseOf(lane)));
    return { lanes: lanes.slice(0, MAX_LANES_PER_CYCLE), accounts };
  }

  /** Locks the named lanes, waiting for each lock; in a fixed order, so that transactions can't deadlock. */
  async lock(statements: SqlExecutor, names: readonly string[]): Promise<Lane[]> {
    if (names.length === 0) return [];
    const { sql, values } = inList([...names].sort());
    const rows = await statements.read<LaneRow>(`${SELECT_LANES} WHERE lane IN ${sql} ORDER BY lane${this.dialect.sql.forUpdate}`, values);
    return rows.map(toLane);
  }

  /** Locks the named lanes that are still due, and leaves out those that another process has locked. */
  async lockDue(statements: SqlExecutor, names: readonly string[], now: number): Promise<Lane[]> {
    if (names.length === 0) return [];
    const { sql, values } = inList(names);
    const due = `${SELECT_LANES} WHERE lane IN ${sql} AND available <= ?${this.dialect.sql.forUpdateSkipLocked}`;
    const rows = await statements.read<LaneRow>(due, [...values, now]);
    return rows.map(toLane);
  }

  async save(statements: SqlExecutor, lanes: readonly Lane[]): Promise<void> {
    const suffix = { sql: this.dialect.sql.upsertClause('lane', LANE_COLUMNS.slice(2)) };
    const rows = lanes.map((lane) => {
      const { name, accountId, available, pausedUntil, isSlow, lastMs, lastClaim } = lane;
      return [name, accountId, available, pausedUntil, Number(isSlow), lastMs, lastClaim];
    });
    await insertRows(statements, 'delivery_lanes', LANE_COLUMNS, rows, suffix);
  }

  /** Makes each lane due at its time in `dues` unless it is due earlier, and adds missing lanes. A fixed order of locks prevents deadlocks. */
  async wake(statements: SqlExecutor, accountId: number, dues: ReadonlyMap<string, number>): Promise<void> {
    const inOrder = [...dues].sort(([a], [b]) => (a < b ? -1 : 1));
    const rows = inOrder.map(([name, due]): RowValues => [name, accountId, due, 0, 0, null, 0]);
    const time = this.dialect.sql.insertedValue('available');
    const earlier = `available = CASE WHEN available IS NULL OR available > ${time} THEN ${time} ELSE available END`;
    const suffix = { sql: `${this.dialect.sql.upsertPrefix('lane')} ${earlier}` };
    await insertRows(statements, 'delivery_lanes', LANE_COLUMNS, rows, suffix);
  }

  /** The lanes to read: slow ones only while a slot is free for them. */
  private dueRowsFor({ hasRoomForSlow }: Slots): DueRows[] {
    return hasRoomForSlow ? [this.fastLanes, this.slowLanes] : [this.fastLanes];
  }

  private dueRows(isSlow: 0 | 1): DueRows {
    return new DueRows(this.dialect, {
      table: 'delivery_lanes',
      columns: LANE_COLUMNS.join(', '),
      due: 'available',
      condition: `is_slow = ${isSlow}`,
      accounts: 'accounts',
      accountIndex: ACCOUNT_LANES_INDEX,
      rowsPerAccount: 4,
    });
  }
}

function toLane([name, accountId, available, pausedUntil, isSlow, lastMs, lastClaim]: LaneRow): Lane {
  const unread = { inFlight: 0, oldestLease: Infinity, pending: [] };
  return { name, accountId, available, pausedUntil, isSlow: isSlow === 1, lastMs, lastClaim, ...unread };
}
