import { type Collection, type Field, type SearchField, searchFields } from '../collections/collection';
import type { ListQuery } from './scheduling-query';
import { ANY, type FilterValue } from './search-types';

export interface Statement {
  sql: string;
  parameters: (string | number)[];
}

/** What stands between two tables that are read in the order in which they are written; the dialect knows it. */
type Join = string;

/**
 * The statements of a collection, made of its definition alone: of a caller's text nothing but parameters goes in.
 * The joins keep to the written order: a planner that begins at a small table sorts all of the large one.
 */
export class Statements {
  private readonly select: string;

  constructor(
    private readonly collection: Collection,
    private readonly join: Join,
  ) {
    const { name, id, fields } = collection;
    const columns = [
      `${name}.${id}`,
      ...fields.map((field) => (field.type === 'related' ? `${field.table}.${field.column} AS ${field.name}` : `${name}.${field.name}`)),
    ];
    this.select = `SELECT ${columns.join(', ')} ${this.from(fields)}`;
  }

  one(accountId: number, id: number): Statement {
    const { name, id: idColumn } = this.collection;
    return { sql: `${this.select} WHERE ${name}.account_id = ? AND ${name}.${idColumn} = ?`, parameters: [accountId, id] };
  }

  /** The records of an account with these many ids, in no order. */
  some(count: number): string {
    const { name, id: idColumn } = this.collection;
    const marks = Array.from({ length: count }, () => '?').join(', ');
    // `+ 0`, so that no planner reads the account's whole index for a batch, as MariaDB did (measured: 180 s a million, not 11).
    return `${this.select} WHERE ${name}.account_id + 0 = ? AND ${name}.${idColumn} IN (${marks})`;
  }

  count(accountId: number, query: ListQuery): Statement {
    const { sql, parameters } = this.where(accountId, query);
    return { sql: `SELECT COUNT(*) AS total ${this.from(this.searched(query))} ${sql}`, parameters };
  }

  list(accountId: number, query: ListQuery, limit: number, offset = 0): Statement {
    const { sql, parameters } = this.where(accountId, query);
    return {
      sql: `${this.select} ${sql} ${this.order(query)} LIMIT ? OFFSET ?`,
      parameters: [...parameters, limit, offset],
    };
  }

  /** The ids of a list, in its order. */
  ids(accountId: number, query: ListQuery): Statement {
    const { sql, parameters } = this.where(accountId, query);
    return { sql: `SELECT ${this.idExpression} ${this.from(this.searched(query))} ${sql} ${this.order(query)}`, parameters };
  }

  /** The table, and those that the fields lead to. */
  private from(fields: readonly Field[]): string {
    const { name, fields: all } = this.collection;
    const tables = new Set(fields.flatMap((field) => (field.type === 'related' ? field.table : [])));
    const joins = all.flatMap((field) =>
      field.type === 'reference' && tables.has(field.table)
        ? `${this.join} ${field.table} ON ${field.table}.${field.name} = ${name}.${field.name}`
        : [],
    );
    return `FROM ${[name, ...joins].join(' ')}`;
  }

  /** The fields that a list is filtered or ordered by. */
  private searched({ filters, orderby }: ListQuery): SearchField[] {
    return searchFields(this.collection).filter(({ name }) => name === orderby || (filters.get(name) ?? ANY) !== ANY);
  }

  private get idExpression(): string {
    return `${this.collection.name}.${this.collection.id}`;
  }

  private where(accountId: number, query: ListQuery): Statement {
    const conditions = [`${this.collection.name}.account_id = ?`];
    const parameters: (string | number)[] = [accountId];
    for (const field of searchFields(this.collection)) {
      const value = query.filters.get(field.name) ?? ANY;
      if (value === ANY) continue;
      const condition = matches(field, searchColumn(this.collection, field), value);
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

  private orderColumn({ orderby }: ListQuery): string {
    const field = searchFields(this.collection).find(({ name }) => name === orderby);
    return field ? searchColumn(this.collection, field) : this.idExpression;
  }
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
