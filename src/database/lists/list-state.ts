import { Injectable } from '@nestjs/common';
import { timestamp } from '../../common/time';
import { Dialect, type RowValues, type SqlExecutor, type Values } from '../dialect';
import type { ListSource } from './ordered-list';
import type { Condition } from './selection';
import { SettledIds } from './settled-ids';

/** Bounds how long a write by other software goes unnoticed. */
export const MAX_AGE_MS = 5_000;
/** From this age on, a read triggers a check in the background. */
export const CHECK_MS = 2_000;
/** From this age on, what was read is read anew although the change marker is the same, which may hide a write. */
export const REBUILD_MS = 300_000;
/** Clocks of processes differ, and a time has seconds. */
const MARGIN_MS = 60_000;

/** SELECT expressions that change with every write to a list by this service, and what they were. */
export interface ListState {
  readonly sql: string;
  readonly values: Values;
  /** Number of columns. */
  readonly width: number;
  readonly current: string;
}

/** Reads whether lists have changed. */
@Injectable()
export class ListStates {
  constructor(
    private readonly dialect: Dialect,
    private readonly settledIds: SettledIds,
  ) {}

  /** Undefined when a record has changed so recently that the next change could not be told. */
  async read(source: ListSource): Promise<ListState | undefined> {
    const parts = [changesOf(source), ...(source.writes === 'counted' ? [newestOf(source)] : await this.requestsOf(source))];
    const [sql, values] = [parts.map((part) => part.sql).join(', '), parts.flatMap((part) => part.values)];
    const [row] = await this.dialect.read(`SELECT ${sql}`, values);
    const isChanging = source.writes === 'by id and time' && Number(row[row.length - 1]) === 1;
    return isChanging ? undefined : { sql, values, width: parts.length, current: row.join(' ') };
  }

  /** Whether the list is as it was. Exact also for statements before this one: a state never returns. */
  async isCurrent({ sql, values, current }: ListState): Promise<boolean> {
    const [row] = await this.dialect.read(`SELECT ${sql}`, values);
    return row.join(' ') === current;
  }

  /** Insertions and updates by requests, which commit out of the order of their ids and times. */
  private async requestsOf({ table, accountId, writes }: ListSource): Promise<Condition[]> {
    const { sql, values } = this.dialect.ofAccount(accountId);
    const settled = await this.settledIds.find(table);
    const inserted = { sql: `(SELECT COUNT(*) FROM ${table} WHERE ${sql} AND id > ?)`, values: [...values, settled] };
    return writes === 'by id' ? [inserted] : [inserted, updatedSince(table, accountId, updatesFromNow())];
  }
}

/** Updates that show after this moment have this time, or a later one. */
export function updatesFromNow(): string {
  return timestamp(new Date(Date.now() - MARGIN_MS));
}

/** Whether records were updated from this time on: 0 or 1, on MySQL as text. */
export function updatedSince(table: string, accountId: number, time: string): Condition {
  return { sql: `EXISTS (SELECT 1 FROM ${table} WHERE account_id = ? AND last_datetime >= ?)`, values: [accountId, time] };
}

/** Deletions and imports. */
function changesOf({ accountId, tables }: ListSource): Condition {
  const marks = tables.map(() => '?').join(', ');
  const sql = `(SELECT COALESCE(SUM(number), 0) FROM deletions WHERE account_id = ? AND list IN (${marks}))`;
  return { sql, values: [accountId, ...tables] };
}

function newestOf({ accountId, table, id }: ListSource): Condition {
  return { sql: `(SELECT MAX(${id}) FROM ${table} WHERE account_id = ?)`, values: [accountId] };
}

/** Whether a row that ends with the state's columns was read while it was current. */
export function isOf(state: ListState, row: RowValues): boolean {
  return row.slice(-state.width).join(' ') === state.current;
}

/** Invalidates what every process remembers of the list; runs in the transaction of the change. */
export async function countChange(dialect: Dialect, statements: SqlExecutor, table: string, accountId: number): Promise<void> {
  const insert = 'INSERT INTO deletions (account_id, list, number) VALUES (?, ?, 1)';
  await statements.write(`${insert} ${dialect.upsertPrefix('account_id, list')} number = number + 1`, [accountId, table]);
}
