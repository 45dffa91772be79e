import type { Dialect, Value } from '../dialect';
import type { ListSource } from './list-changes';
import type { Condition } from './selection';

/** A list in ascending order of an indexed column, or of a text of the records that it refers to. The id breaks ties. */
export interface OrderedList extends ListSource {
  /** The id column. */
  readonly id: string;
  /** Further conditions, as `conditionsOf` writes them. */
  readonly condition: Condition;
  /** May be the id. NULL comes before any value. */
  readonly column: string;
  readonly reference?: Reference;
}

/** `list.column = table.column`, ordered by `table.order`. */
export interface Reference {
  readonly table: string;
  readonly column: string;
  readonly order: string;
}

/** A record's place in an order. */
export interface Key {
  readonly value: Value;
  readonly id: number;
}

/** Records between two keys. */
const STEP = 500;
const KEY_BYTES = 150;
/** Of more referenced records, none are anchored: a run takes two statements at least. */
const MAX_RUNS = 5_000;

/** Records that follow each other in one index. */
export interface Run {
  readonly condition: Condition;
  /** Leading columns of the index. */
  readonly prefix: readonly string[];
  readonly count: number;
  /** Of every STEP-th record. */
  readonly keys: readonly Key[];
}

/** Some of the records between two keys of a run; either may be missing. */
export interface Slice {
  readonly run: Run;
  readonly after?: Key;
  readonly upTo?: Key;
  readonly limit: number;
  readonly offset: number;
}

/** A list's order, with keys to read any page from: at most STEP records before it are skipped. */
export class AnchoredOrder {
  readonly total: number;
  readonly bytes: number;

  constructor(private readonly runs: readonly Run[]) {
    this.total = runs.reduce((sum, { count }) => sum + count, 0);
    this.bytes = runs.reduce((sum, { keys }) => sum + KEY_BYTES * (keys.length + 1), 0);
  }

  /** The records from one position to before another, in pieces. */
  slices(start: number, end: number): Slice[] {
    const slices: Slice[] = [];
    let position = 0;
    for (const run of this.runs) {
      const [from, to] = [Math.max(start - position, 0), Math.min(end - position, run.count)];
      if (from < to) slices.push(sliceOf(run, from, to));
      position += run.count;
      if (position >= end) break;
    }
    return slices;
  }
}

function sliceOf(run: Run, from: number, to: number): Slice {
  const [first, last] = [Math.floor(from / STEP), Math.ceil(to / STEP)];
  return { run, after: run.keys[first - 1], upTo: run.keys[last - 1], limit: to - from, offset: from - first * STEP };
}

/** Walks an order's indexes in short statements, and notes the key of every STEP-th record. */
export class OrderWalk {
  constructor(
    private readonly dialect: Dialect,
    private readonly list: OrderedList,
  ) {}

  /** Undefined when too many records are referenced, or one of another account is. */
  async run(): Promise<AnchoredOrder | undefined> {
    const { reference } = this.list;
    const runs = reference ? await this.walkGroups(reference) : await this.walkColumn();
    const order = runs && new AnchoredOrder(runs.filter(({ count }) => count > 0));
    return order?.total === (await this.count()) ? order : undefined;
  }

  /** NULL comes before any value, and compares with none. */
  private async walkColumn(): Promise<Run[]> {
    const { column, id } = this.list;
    const whole = wholeRun(this.dialect, this.list);
    if (column === id) return [await this.walk(whole)];
    const nulls = await this.sort(narrowed(whole, `${column} IS NULL`));
    return nulls.count === 0 ? [await this.walk(whole)] : [nulls, await this.walk(narrowed(whole, `${column} IS NOT NULL`))];
  }

  private async walkGroups(reference: Reference): Promise<Run[] | undefined> {
    const groups = await this.findGroups(reference);
    if (!groups) return undefined;
    const runs: Run[] = [];
    for (const ids of groups) runs.push(await this.readGroup(reference.column, ids));
    return runs;
  }

  private async walk(run: Run): Promise<Run> {
    const keys: Key[] = [];
    for (;;) {
      const { sql, values } = pieceOf(this.dialect, this.list, { run, after: keys.at(-1), limit: 1, offset: STEP - 1 });
      const [row] = await this.dialect.read(sql, values, this.list);
      if (!row) break;
      keys.push({ value: row[1], id: Number(row[0]) });
    }
    const { sql, values } = rangeOf(this.dialect, this.list, run, keys.at(-1));
    const [[rest]] = await this.dialect.read(`SELECT COUNT(*) FROM ${this.list.table} WHERE ${sql}`, values, this.list);
    return { ...run, keys, count: keys.length * STEP + Number(rest) };
  }

  /** The referenced ids in their order; those with equal texts are one group. */
  private async findGroups({ table, column, order }: Reference): Promise<number[][] | undefined> {
    const sql = `SELECT ${column}, ${order} FROM ${table} WHERE account_id = ? ORDER BY ${order}, ${column} LIMIT ?`;
    const { accountId } = this.list;
    const rows = await this.dialect.read(sql, [accountId, MAX_RUNS + 1], { table, accountId });
    if (rows.length > MAX_RUNS) return undefined;
    const groups: number[][] = [];
    rows.forEach(([id, text], index) => {
      if (index > 0 && rows[index - 1][1] === text) groups[groups.length - 1].push(Number(id));
      else groups.push([Number(id)]);
    });
    return groups;
  }

  private readGroup(column: string, ids: number[]): Promise<Run> {
    const among = { sql: `${column} IN (${ids.map(() => '?').join(', ')})`, values: ids };
    const group = ids.length === 1 ? this.dialect.equals(column, ids[0]) : among;
    const { sql, values } = this.list.condition;
    const run = { condition: { sql: group.sql + sql, values: [...group.values, ...values] }, count: 0, keys: [] };
    return ids.length === 1 ? this.walk({ ...run, prefix: [column] }) : this.sort({ ...run, prefix: [] });
  }

  /**
   * By id alone. No index has the ids of several groups in one order, and MariaDB reads none for those of NULL: each step would sort
   * them again.
   */
  private async sort(run: Run): Promise<Run> {
    const { sql, values } = run.condition;
    const { id, table } = this.list;
    const ids = await this.dialect.readIntegers(`SELECT ${id} FROM ${table} WHERE ${sql} ORDER BY ${id}`, values, this.list);
    const keys: Key[] = [];
    const count = ids.length;
    while (ids.length >= STEP) keys.push({ value: null, id: ids.take(STEP)[STEP - 1] });
    return { ...run, keys, count };
  }

  private async count(): Promise<number> {
    const { table, accountId, condition } = this.list;
    const [[count]] = await this.dialect.read(
      `SELECT COUNT(*) FROM ${table} WHERE account_id = ?${condition.sql}`,
      [accountId, ...condition.values],
      this.list,
    );
    return Number(count);
  }
}

/** All records of a list that is ordered by a column of its own. */
export function wholeRun(dialect: Dialect, { accountId, condition }: OrderedList): Run {
  const account = dialect.ofAccount(accountId);
  const own = { sql: account.sql + condition.sql, values: [...account.values, ...condition.values] };
  return { condition: own, prefix: ['account_id'], count: 0, keys: [] };
}

function narrowed(run: Run, condition: string): Run {
  const { sql, values } = run.condition;
  return { ...run, condition: { sql: `${sql} AND ${condition}`, values } };
}

/** Selects ids and the values they are ordered by, in ascending order. */
export function pieceOf(dialect: Dialect, list: OrderedList, { run, after, upTo, limit, offset }: Slice): Condition {
  const { table, id, column } = list;
  const { sql, values } = rangeOf(dialect, list, run, after, upTo);
  const order = [...new Set([...run.prefix, column, id])].join(', ');
  return {
    sql: `SELECT ${id} AS page_id, ${column} AS page_value FROM ${table} WHERE ${sql} ORDER BY ${order} LIMIT ? OFFSET ?`,
    values: [...values, limit, offset],
  };
}

function rangeOf(dialect: Dialect, { column, id }: OrderedList, { condition }: Run, after?: Key, upTo?: Key): Condition {
  const bound = (operator: '>' | '<=', key?: Key): Condition[] => {
    if (!key) return [];
    const isById = column === id || key.value === null;
    return [isById ? { sql: `${id} ${operator} ?`, values: [key.id] } : dialect.compareKeys([column, id], operator, [key.value, key.id])];
  };
  const all = [condition, ...bound('>', after), ...bound('<=', upTo)];
  return { sql: all.map(({ sql }) => sql).join(' AND '), values: all.flatMap(({ values }): Value[] => [...values]) };
}
