import { type Collection, type Field, type SearchField, searchFields } from './collection';
import { fold } from './fold';
import type { ListQuery } from './scheduling-query';
import { ANY, type FilterValue } from './search-kinds';

export interface Statement {
  sql: string;
  parameters: (string | number)[];
}

/** Where a list goes on: the record before, by what it is ordered by, and its id. */
export interface Cursor {
  key: string | number;
  id: number;
}

export type SchedulingRow = Record<string, string | number>;

/** What stands between two tables that are read in the order in which they are written; the dialect knows it. */
type Join = string;

/**
 * The statements of a collection, made of its definition alone: of a caller's text nothing but parameters goes in.
 * The joins keep to the written order, for a planner that begins at a small table sorts all of the large one for each batch.
 */
export class Statements {
  private readonly select: string;
  private readonly from: string;

  constructor(
    private readonly collection: Collection,
    join: Join,
  ) {
    const { name, id, fields } = collection;
    const columns = [
      `${name}.${id}`,
      ...fields.map((field) => (field.type === 'related' ? `${field.table}.${field.column} AS ${field.name}` : `${name}.${field.name}`)),
    ];
    const joins = fields.flatMap((field) =>
      field.type === 'reference' ? [`${join} ${field.table} ON ${field.table}.${field.name} = ${name}.${field.name}`] : [],
    );
    this.select = `SELECT ${columns.join(', ')}`;
    this.from = `FROM ${[name, ...joins].join(' ')}`;
  }

  one(accountId: number, id: number): Statement {
    const { name, id: idColumn } = this.collection;
    return { sql: `${this.select} ${this.from} WHERE ${name}.account_id = ? AND ${name}.${idColumn} = ?`, parameters: [accountId, id] };
  }

  /** The records with these ids, in no order. */
  some(accountId: number, ids: number[]): Statement {
    const { name, id: idColumn } = this.collection;
    const marks = ids.map(() => '?').join(', ');
    return {
      sql: `${this.select} ${this.from} WHERE ${name}.account_id = ? AND ${name}.${idColumn} IN (${marks})`,
      parameters: [accountId, ...ids],
    };
  }

  count(accountId: number, query: ListQuery): Statement {
    const { sql, parameters } = this.where(accountId, query);
    return { sql: `SELECT COUNT(*) AS total ${this.from} ${sql}`, parameters };
  }

  list(accountId: number, query: ListQuery, limit: number, { offset = 0, after }: { offset?: number; after?: Cursor } = {}): Statement {
    const { sql, parameters } = this.where(accountId, query, after);
    return {
      sql: `${this.select} ${this.from} ${sql} ${this.order(query)} LIMIT ? OFFSET ?`,
      parameters: [...parameters, limit, offset],
    };
  }

  /** The ids alone, all of them. */
  ids(accountId: number, query: ListQuery, after: Cursor): Statement {
    const { sql, parameters } = this.where(accountId, query, after);
    return { sql: `SELECT ${this.idExpression} AS id ${this.from} ${sql} ${this.order(query)}`, parameters };
  }

  private get idExpression(): string {
    return `${this.collection.name}.${this.collection.id}`;
  }

  private where(accountId: number, query: ListQuery, after?: Cursor): Statement {
    const conditions = [`${this.collection.name}.account_id = ?`];
    const parameters: (string | number)[] = [accountId];
    for (const field of searchFields(this.collection)) {
      const value = query.filters.get(field.name) ?? ANY;
      if (value === ANY) continue;
      const condition = matches(field, searchColumn(this.collection, field), value);
      conditions.push(condition.sql);
      parameters.push(...condition.parameters);
    }
    if (after) {
      const condition = this.beyond(query, after);
      conditions.push(condition.sql);
      parameters.push(...condition.parameters);
    }
    return { sql: `WHERE ${conditions.join(' AND ')}`, parameters };
  }

  private order(query: ListQuery): string {
    const key = this.orderColumn(query);
    return key === this.idExpression
      ? `ORDER BY ${key} ${query.sort}`
      : `ORDER BY ${key} ${query.sort}, ${this.idExpression} ${query.sort}`;
  }

  /** The comparison of pairs is written so that both MySQL and SQLite find its beginning in an index. */
  private beyond(query: ListQuery, { key, id }: Cursor): Statement {
    const column = this.orderColumn(query);
    const sign = query.sort === 'asc' ? '>' : '<';
    if (column === this.idExpression) return { sql: `${column} ${sign} ?`, parameters: [id] };
    return {
      sql: `${column} ${sign}= ? AND (${column} ${sign} ? OR ${this.idExpression} ${sign} ?)`,
      parameters: [key, key, id],
    };
  }

  private orderColumn({ orderby }: ListQuery): string {
    const field = searchFields(this.collection).find(({ name }) => name === orderby);
    return field ? searchColumn(this.collection, field) : this.idExpression;
  }
}

/** Whether an order follows another table's texts: such a list can't be gone on with by an index. */
export function isRelatedOrder({ collection, orderby }: ListQuery): boolean {
  return collection.fields.some((field) => field.type === 'related' && field.name === orderby);
}

/** The cursor of a row: what the database compares is made anew from what the row shows. */
export function cursorOf({ collection, orderby }: ListQuery, row: SchedulingRow): Cursor {
  const field = collection.fields.find(({ name }) => name === orderby);
  const value = row[orderby];
  const isFolded = field?.type === 'text' || field?.type === 'related';
  return { key: isFolded ? fold(String(value)) : value, id: Number(row[collection.id]) };
}

/** The record of a row: flags come as 0 and 1. */
export function recordOf({ fields }: Collection, row: SchedulingRow): Record<string, unknown> {
  const flags = fields.filter(({ type }: Field) => type === 'flag').map(({ name }) => [name, row[name] === 1]);
  return flags.length > 0 ? { ...row, ...(Object.fromEntries(flags) as object) } : row;
}

function searchColumn({ name: table }: Collection, field: SearchField): string {
  if (field.type === 'related') return `${field.table}.${field.column}_folded`;
  return field.type === 'text' ? `${table}.${field.name}_folded` : `${table}.${field.name}`;
}

/** INSTR knows no wildcards, so `%` and `_` need no escape; every character of a time sorts before `~`. */
function matches(field: SearchField, column: string, value: FilterValue): Statement {
  if (field.type === 'flag') return { sql: `${column} = ?`, parameters: [value === true ? 1 : 0] };
  const text = String(value);
  if (field.type === 'time') return { sql: `${column} >= ? AND ${column} < ?`, parameters: [text, `${text}~`] };
  return { sql: `INSTR(${column}, ?) > 0`, parameters: [text] };
}
