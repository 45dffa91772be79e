import { Injectable } from '@nestjs/common';
import { notBeyond } from '../../common/time';
import { Config } from '../../config/config';
import { Dialect, type RowValues, type SqlExecutor } from '../../database/dialect';
import { inList, insertRows } from '../../database/value-lists';
import type { Lane } from './lane';
import { MAX_PAUSE_MS, maxWaitOf } from './next-state';

const COLUMNS = ['lane', 'account_id', 'available', 'paused_until', 'is_slow', 'last_ms', 'last_claim'];
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM delivery_lanes`;

type LaneRow = [
  ...[name: string, accountId: number, available: number | null, pausedUntil: number],
  ...[isSlow: number, lastMs: number | null, lastClaim: number],
];

@Injectable()
export class LaneTable {
  constructor(
    private readonly dialect: Dialect,
    private readonly config: Config,
  ) {}

  /** Waits for locks, in one order, so that two transactions never wait for each other. */
  async lock(statements: SqlExecutor, names: readonly string[], now: number): Promise<Lane[]> {
    if (names.length === 0) return [];
    const { sql, values } = inList([...names].sort());
    const rows = await statements.read<LaneRow>(`${SELECT} WHERE lane IN ${sql} ORDER BY lane${this.dialect.forUpdate}`, values);
    return rows.map((row) => toLane(row, now));
  }

  /** Locks those that are still due, and leaves out those that another process has locked. */
  async lockDue(statements: SqlExecutor, names: readonly string[], now: number): Promise<Lane[]> {
    if (names.length === 0) return [];
    const { sql, values } = inList(names);
    const beyond = now + maxWaitOf(this.config.deliveries.waitsMs);
    const due = `${SELECT} WHERE lane IN ${sql} AND (available <= ? OR available > ?)${this.dialect.forUpdateSkipLocked}`;
    return (await statements.read<LaneRow>(due, [...values, now, beyond])).map((row) => toLane(row, now));
  }

  async save(statements: SqlExecutor, lanes: readonly Lane[]): Promise<void> {
    const suffix = { sql: this.dialect.upsertClause('lane', COLUMNS.slice(2)) };
    await insertRows(statements, 'delivery_lanes', COLUMNS, lanes.map(toRow), suffix);
  }

  /** Makes lanes due no later than `time`, adding those that don't exist. */
  async wake(statements: SqlExecutor, lanes: readonly Pick<Lane, 'name' | 'accountId'>[], time: number): Promise<void> {
    const sorted = [...new Map(lanes.map((lane) => [lane.name, lane])).values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const rows = sorted.map((lane) => toRow({ ...lane, available: time, pausedUntil: 0, isSlow: false, lastMs: null, lastClaim: 0 }));
    const earlier = 'available = CASE WHEN available IS NULL OR available > ? THEN ? ELSE available END';
    const suffix = { sql: `${this.dialect.upsertPrefix('lane')} ${earlier}`, values: [time, time] };
    await insertRows(statements, 'delivery_lanes', COLUMNS, rows, suffix);
  }
}

function toRow({ name, accountId, available, pausedUntil, isSlow, lastMs, lastClaim }: Omit<Lane, 'inFlight'>): RowValues {
  return [name, accountId, available, pausedUntil, Number(isSlow), lastMs, lastClaim];
}

function toLane([name, accountId, available, pausedUntil, isSlow, lastMs, lastClaim]: LaneRow, now: number): Lane {
  const times = { pausedUntil: notBeyond(pausedUntil, now, MAX_PAUSE_MS), lastClaim: notBeyond(lastClaim, now, 0) };
  return { name, accountId, available, ...times, inFlight: 0, isSlow: isSlow === 1, lastMs };
}
