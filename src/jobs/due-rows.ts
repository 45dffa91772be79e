import type { Dialect, RowValues, Value } from '../database/dialect';

export interface DueRowsOptions {
  table: string;
  /** The key, the account, and others. */
  columns: string;
  /** The column that says when there is work: milliseconds since 1970, null for never. */
  due: string;
  /** Of the rows that are looked at, with an index on its column and `due`. */
  condition?: string;
  /** The name of the index on the account, the condition's column and `due`. */
  indexOfAccount: string;
  /** Read of each account when accounts are read in turn. */
  ofAccount: number;
  /** What is due later than this can only have been written while a clock was ahead, and is due now. */
  maxWaitMs: number;
}

/** Read at once. With more than this due, accounts are read in turn, so that one's backlog doesn't hide the others'. */
const FEW = 256;
const AHEAD = 64;
/** Accounts asked at once whether anything is due, and those read of them. */
const [ASKED, ACCOUNTS] = [1_000, 64];

/** Finds rows that are due. The rows and statements of a call are bounded, whatever is due. */
export class DueRows {
  /** The account that was read last. */
  private position = 0;
  private readonly findFirst: string;
  private readonly findAccounts: string;
  private readonly findOfAccount: string;
  private readonly findNext: string;

  constructor(
    private readonly dialect: Dialect,
    private readonly options: DueRowsOptions,
  ) {
    const { table, columns, due, condition, indexOfAccount, ofAccount } = options;
    const where = `WHERE ${condition ? `${condition} AND ` : ''}${due}`;
    const from = `FROM ${table} ${where}`;
    this.findFirst = `SELECT * FROM (SELECT ${columns} ${from} <= ? ORDER BY ${due} LIMIT ${FEW}) due_rows
      UNION ALL SELECT * FROM (SELECT ${columns} ${from} > ? ORDER BY ${due} LIMIT ${AHEAD}) ahead`;
    // Without the index, MariaDB would find an account's rows among all that are due.
    const fromAccount = `FROM ${table} ${dialect.forceIndex(indexOfAccount)} ${where} <= ? AND account_id`;
    // Unordered: MySQL 9.7 would sort an account's due rows to find the first.
    this.findAccounts = `SELECT id, (SELECT 1 ${fromAccount} = accounts.id LIMIT 1) FROM accounts WHERE id > ? ORDER BY id LIMIT ${ASKED}`;
    this.findOfAccount = `SELECT * FROM (SELECT ${columns} ${fromAccount} = ? ORDER BY ${due} LIMIT ${ofAccount}) of_account`;
    this.findNext = `SELECT MIN(${due}) ${from} >= 0`;
  }

  /** When the first row is due; undefined without any. */
  async next(): Promise<number | undefined> {
    const [[due]] = await this.dialect.read<[due: number | null]>(this.findNext, []);
    return due ?? undefined;
  }

  /** All that are due, or those of some accounts: the next call begins with others. */
  async find<R extends RowValues>(now: number): Promise<R[]> {
    const first = await this.dialect.read<R>(this.findFirst, [now, now + this.options.maxWaitMs]);
    if (first.length < FEW) return first;
    const rows = [...(await this.findOfNextAccounts<R>(now)), ...first];
    return [...new Map(rows.map((row) => [row[0], row])).values()];
  }

  private async findOfNextAccounts<R extends RowValues>(now: number): Promise<R[]> {
    const asked = await this.dialect.read<[id: number, isDue: number | null]>(this.findAccounts, [now, this.position]);
    const due = asked.filter(([, isDue]) => isDue !== null).slice(0, ACCOUNTS);
    const [last] = due.length === ACCOUNTS ? due[due.length - 1] : asked.length === ASKED ? asked[asked.length - 1] : [0];
    this.position = last;
    if (due.length === 0) return [];
    const values = due.flatMap(([id]): Value[] => [now, id]);
    return this.dialect.read<R>(due.map(() => this.findOfAccount).join(' UNION ALL '), values);
  }
}

/** Accounts that use the fewest slots first, counting the rows of each that come before. */
export function inFairOrder<R extends { accountId: number }>(rows: readonly R[], usedBy: (accountId: number) => number): R[] {
  const counts = new Map<number, number>();
  const ranked = rows.map((row) => {
    const rank = counts.get(row.accountId) ?? usedBy(row.accountId);
    counts.set(row.accountId, rank + 1);
    return { row, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ row }) => row);
}
