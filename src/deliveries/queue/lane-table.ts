import { Injectable } from '@nestjs/common';
import { Dialect, type RowValues, type SqlExecutor } from '../../database/dialect';
import { inList, insertRows } from '../../database/value-lists';
import { type Lane, MAX_IN_FLIGHT } from './lane';

const COLUMNS = ['lane', 'account_id', 'available', 'paused_until', 'is_slow', 'last_claim'];
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM delivery_lanes`;
const MAX_DUE = 64;
/** The accounts take turns; within an account, the longest due lane first. */
const SELECT_DUE = `SELECT lane, account_id FROM
  (SELECT lane, account_id, available, ROW_NUMBER() OVER (PARTITION BY account_id ORDER BY available) AS turn
    FROM delivery_lanes WHERE available <= ?) due
  ORDER BY turn, available LIMIT ${MAX_DUE}`;

@Injectable()
export class LaneTable {
  constructor(private readonly dialect: Dialect) {}

  /** When the next lane is due; undefined when nothing is pending. */
  async nextDue(): Promise<number | undefined> {
    const [[due]] = await this.dialect.read('SELECT MIN(available) FROM delivery_lanes', []);
    return due === null ? undefined : Number(due);
  }

  async findDue(now: number): Promise<Pick<Lane, 'name' | 'accountId'>[]> {
    const rows = await this.dialect.read(SELECT_DUE, [now]);
    return rows.map(([name, accountId]) => ({ name: String(name), accountId: Number(accountId) }));
  }

  /** Waits for locks, in one order, so that two transactions never wait for each other. */
  async lock(statements: SqlExecutor, names: readonly string[]): Promise<Lane[]> {
    if (names.length === 0) return [];
    const { sql, values } = inList([...names].sort());
    return (await statements.read(`${SELECT} WHERE lane IN ${sql} ORDER BY lane${this.dialect.forUpdate}`, values)).map(toLane);
  }

  /** Locks those that are still due, and leaves out those that another process has locked. */
  async lockDue(statements: SqlExecutor, names: readonly string[], now: number): Promise<Lane[]> {
    if (names.length === 0) return [];
    const { sql, values } = inList(names);
    const due = `${SELECT} WHERE lane IN ${sql} AND available <= ?${this.dialect.forUpdateSkipLocked}`;
    return (await statements.read(due, [...values, now])).map(toLane);
  }

  async save(statements: SqlExecutor, lanes: readonly Lane[]): Promise<void> {
    const suffix = { sql: this.dialect.upsertClause('lane', COLUMNS.slice(2)) };
    await insertRows(statements, 'delivery_lanes', COLUMNS, lanes.map(toRow), suffix);
  }

  /** Makes lanes due no later than `time`, adding those that don't exist. */
  async wake(statements: SqlExecutor, lanes: readonly Pick<Lane, 'name' | 'accountId'>[], time: number): Promise<void> {
    const sorted = [...new Map(lanes.map((lane) => [lane.name, lane])).values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const rows = sorted.map((lane) => toRow({ ...lane, available: time, pausedUntil: 0, isSlow: false, lastClaim: 0 }));
    const earlier = 'available = CASE WHEN available IS NULL OR available > ? THEN ? ELSE available END';
    const suffix = { sql: `${this.dialect.upsertPrefix('lane')} ${earlier}`, values: [time, time] };
    await insertRows(statements, 'delivery_lanes', COLUMNS, rows, suffix);
  }
}

function toRow({ name, accountId, available, pausedUntil, isSlow, lastClaim }: Omit<Lane, 'inFlight' | 'depth'>): RowValues {
  return [name, accountId, available, pausedUntil, Number(isSlow), lastClaim];
}

function toLane([name, accountId, available, pausedUntil, isSlow, lastClaim]: RowValues): Lane {
  return {
    name: String(name),
    accountId: Number(accountId),
    available: available === null ? null : Number(available),
    pausedUntil: Number(pausedUntil),
    inFlight: 0,
    isSlow: Number(isSlow) === 1,
    lastClaim: Number(lastClaim),
    depth: MAX_IN_FLIGHT,
  };
}
