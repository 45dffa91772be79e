import { Injectable } from '@nestjs/common';
import { Dialect, type RowValues, type SqlExecutor, type Values } from '../dialect';
import type { ListSource } from './ordered-list';

/** SELECT expressions that change with every write to a list by this service, and what they were. */
export interface ListState {
  readonly sql: string;
  readonly values: Values;
  readonly current: string;
}

/** How many columns a state adds to a row. */
export const STATE_COLUMNS = 2;

/** Reads whether lists have changed: imports count their changes, and the newest id shows other insertions. */
@Injectable()
export class ListStates {
  constructor(private readonly dialect: Dialect) {}

  async read({ accountId, table, tables, id }: ListSource): Promise<ListState> {
    const marks = tables.map(() => '?').join(', ');
    const changes = `(SELECT COALESCE(SUM(number), 0) FROM deletions WHERE account_id = ? AND list IN (${marks}))`;
    const sql = `${changes}, (SELECT MAX(${id}) FROM ${table} WHERE account_id = ?)`;
    const values = [accountId, ...tables, accountId];
    const [row] = await this.dialect.read(`SELECT ${sql}`, values);
    return { sql, values, current: stateOf(row) };
  }

  /** Whether the list is as it was. Exact also for statements before this one: a state never returns. */
  async isCurrent({ sql, values, current }: ListState): Promise<boolean> {
    const [row] = await this.dialect.read(`SELECT ${sql}`, values);
    return stateOf(row) === current;
  }
}

/** Of a row that ends with the state's columns. */
export function stateOf(row: RowValues): string {
  return row.slice(-STATE_COLUMNS).join(' ');
}

/** Invalidates what every process remembers of the list; runs in the transaction of the change. */
export async function countChange(dialect: Dialect, statements: SqlExecutor, table: string, accountId: number): Promise<void> {
  const insert = 'INSERT INTO deletions (account_id, list, number) VALUES (?, ?, 1)';
  await statements.write(`${insert} ${dialect.upsertPrefix('account_id, list')} number = number + 1`, [accountId, table]);
}
