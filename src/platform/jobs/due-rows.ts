import type { Dialect, RowValues, Value } from '../database/dialect';

/** A table with a column for the time when a row is due: milliseconds since 1970, null for never. */
interface DueRowsOptions {
  table: string;
  /** The table of the accounts that the rows belong to. */
  accounts: string;
  /** SELECT list: the key, the account, and any other columns. */
  columns: string;
  /** The column that holds the time. */
  due: string;
  /** SQL condition that restricts the rows. Needs an index on its column and `due`. */
  condition?: string;
  /** The name of the index on the account, the condition's column and `due`. */
  accountIndex: string;
  /** Rows read per account when accounts are read one by one. */
  rowsPerAccount: number;
}

/** Rows read by the first query. If more are due, accounts are read one by one, so that one account's backlog doesn't hide the others'. */
const MAX_FIRST_ROWS = 256;
/** Accounts checked for due rows per call. */
const MAX_CHECKED_ACCOUNTS = 1_000;
/** Accounts whose due rows are read per call. */
const MAX_READ_ACCOUNTS = 64;

/** Finds due rows. A call reads a bounded number of rows, in a bounded number of statements. */
export class DueRows {
  /** The last account checked; 0 starts over. */
  private position = 0;
  private readonly findFirst: string;
  private readonly findAccounts: string;
  private readonly findByAccount: string;
  private readonly findNext: string;

  constructor(
    private readonly dialect: Dialect,
    { table, accounts, columns, due, condition, accountIndex: indexOfAccount, rowsPerAccount: ofAccount }: DueRowsOptions,
  ) {
    const where = `WHERE ${condition ? `${condition} AND ` : ''}${due}`;
    const from = `FROM ${table} ${where}`;
    this.findFirst = `SELECT ${columns} ${from} <= ? ORDER BY ${due} LIMIT ${MAX_FIRST_ROWS}`;
    // Without the hint, MariaDB would search all due rows for the account's.
    const fromAccount = `FROM ${table} ${dialect.sql.forceIndex(indexOfAccount)} ${where} <= ? AND account_id`;
    // No ORDER BY: MySQL 9.7 would sort all of an account's due rows to return one.
    this.findAccounts = `SELECT id, (SELECT 1 ${fromAccount} = ${accounts}.id LIMIT 1) FROM ${accounts} WHERE id > ? ORDER BY id LIMIT ${MAX_CHECKED_ACCOUNTS}`;
    this.findByAccount = dialect.sql.wrapForUnion(`SELECT ${columns} ${fromAccount} = ? ORDER BY ${due} LIMIT ${ofAccount}`);
    this.findNext = `SELECT MIN(${due}) ${from} >= 0`;
  }

  /** When the first row is due, for one account or for all, in milliseconds since 1970; Infinity if none is. */
  async nextDue(accountId?: number): Promise<number> {
    const [sql, values] = accountId === undefined ? [this.findNext, []] : [`${this.findNext} AND account_id = ?`, [accountId]];
    const [[due]] = await this.dialect.read<[due: number | null]>(sql, values);
    return due ?? Infinity;
  }

  /** All due rows or, if there are many, the first ones and those of some accounts; the next call continues with other accounts. */
  async find<R extends RowValues>(now: number): Promise<R[]> {
    const first = await this.dialect.read<R>(this.findFirst, [now]);
    if (first.length < MAX_FIRST_ROWS) return first;
    const rows = [...(await this.findForNextAccounts<R>(now)), ...first];
    return [...new Map(rows.map((row) => [row[0], row])).values()];
  }

  private async findForNextAccounts<R extends RowValues>(now: number): Promise<R[]> {
    const checked = await this.dialect.read<[id: number, isDue: number | null]>(this.findAccounts, [now, this.position]);
    const due = checked.filter(([, isDue]) => isDue !== null).slice(0, MAX_READ_ACCOUNTS);
    const [last] =
      due.length === MAX_READ_ACCOUNTS ? due[due.length - 1] : checked.length === MAX_CHECKED_ACCOUNTS ? checked[checked.length - 1] : [0];
    this.position = last;
    if (due.length === 0) return [];
    const values = due.flatMap(([id]): Value[] => [now, id]);
    return this.dialect.read<R>(due.map(() => this.findByAccount).join(' UNION ALL '), values);
  }
}

/** Orders rows so that accounts take turns, those with the fewest slots in use first. */
export function inFairOrder<R extends { accountId: number }>(rows: readonly R[], usedBy: (accountId: number) => number): R[] {
  const counts = new Map<number, number>();
  const ranked = rows.map((row) => {
    const rank = counts.get(row.accountId) ?? usedBy(row.accountId);
    counts.set(row.accountId, rank + 1);
    return { row, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ row }) => row);
}
