import type { PageRequest } from '../platform/common/records';
import type { SqlFragment, Value } from '../platform/database/dialect';
import type { ListTable } from '../platform/database/lists/list-changes';
import type { OrderedList, PageSource } from '../platform/database/lists/ordered-pages';
import { conditionsOf, type Direction, type Filter, type Match, orderOf } from '../platform/database/records/selection';
import { type Collection, type Field, type SearchField, searchFields } from './collections/collection';

export type FilterValue = string | boolean;

export interface RecordQuery {
  collection: Collection;
  id: number;
}

export interface CollectionQuery {
  collection: Collection;
  orderby: string;
  sort: Direction;
  /** Keyed by field name. */
  filters: Map<string, FilterValue>;
  /** No `page` means every record. */
  page?: PageRequest;
}

/** Arguments of `Dialect.read` and `readIntegers`. */
export type Statement = [sql: string, values: Value[]];

const MATCHES: Record<SearchField['type'], Match> = { text: 'contains', related: 'contains', time: 'begins with', flag: 'equals' };

/**
 * Builds a list's SQL from its collection's definition alone; input is only ever a parameter. `join` keeps the written table order: a
 * planner that starts with a small table sorts all of the large one.
 */
export class SchedulingSql {
  /** The list and the tables that its records refer to. */
  readonly list: ListTable;
  /** All columns of the records. */
  readonly pageSource: PageSource;
  private readonly select: string;
  private readonly conditions: SqlFragment;
  /** The tables that the filters and the order need. */
  private readonly searchedTables: string;
  private readonly order: string;

  constructor(
    private readonly join: string,
    accountId: number,
    readonly query: CollectionQuery,
  ) {
    const { collection, filters, orderby, sort } = query;
    const { name: table, id: idName, fields } = collection;
    const id = `${table}.${idName}`;
    const columns = fields.map((field) => (field.type === 'related' ? `${field.table}.${field.column}` : `${table}.${field.name}`));
    this.list = { table, accountId, tables: [table, ...fields.flatMap((field) => (field.type === 'reference' ? field.table : []))] };
    this.pageSource = { id, columns: [id, ...columns].join(', '), from: [table, ...this.joins(fields)].join(' ') };
    this.select = `SELECT ${this.pageSource.columns} FROM ${this.pageSource.from}`;
    const searched = searchFields(collection).filter(({ name }) => name === orderby || filters.has(name));
    const given = searched.flatMap((field): Filter[] => {
      const value = filters.get(field.name);
      return value === undefined ? [] : [{ column: searchColumn(table, field), match: MATCHES[field.type], value }];
    });
    this.conditions = conditionsOf(given);
    this.searchedTables = [table, ...this.joins(searched)].join(' ');
    const field = searched.find(({ name }) => name === orderby);
    this.order = orderOf(field ? searchColumn(table, field) : id, id, sort);
  }

  byId(id: number): Statement {
    const { table, accountId } = this.list;
    return [`${this.select} WHERE ${table}.account_id = ? AND ${this.pageSource.id} = ?`, [accountId, id]];
  }

  /** The given records that still match, in no particular order. */
  byIds(ids: readonly number[]): Statement {
    const [where, values] = this.whereAmong(this.query.collection.id, ids);
    return [`${this.select} ${where}`, values];
  }

  count(): SqlFragment {
    const [where, values] = this.where();
    return { sql: `SELECT COUNT(*) FROM ${this.searchedTables} ${where}`, values };
  }

  page(limit: number, offset = 0): Statement {
    const [where, values] = this.where();
    return [`${this.select} ${where} ${this.order} LIMIT ? OFFSET ?`, [...values, limit, offset]];
  }

  /** Like `page`, for large lists: sorts and skips ids before reading records. */
  deepPage(limit: number, offset: number): Statement {
    const [ids, values] = this.ids();
    const { columns, id } = this.pageSource;
    const { name, id: idName, fields } = this.query.collection;
    const from = [`(${ids} LIMIT ? OFFSET ?) page ${this.join} ${name} ON ${id} = page.${idName}`, ...this.joins(fields)].join(' ');
    return [`SELECT ${columns} FROM ${from} ${this.order}`, [...values, limit, offset]];
  }

  /** The ids of the list, in its order. */
  ids([where, values] = this.where()): Statement {
    return [`SELECT ${this.pageSource.id} FROM ${this.searchedTables} ${where} ${this.order}`, values];
  }

  /** Like `ids`, limited to records whose column has one of these few values. */
  idsAmong(column: string, among: readonly number[]): Statement {
    return this.ids(this.whereAmong(column, among));
  }

  /** The list ordered by a field, for `OrderedPages`. Undefined if the query filters by anything but flags. */
  ordered(orderby = this.query.orderby): OrderedList | undefined {
    const { collection, filters } = this.query;
    const { id, fields } = collection;
    const flags = fields.filter(({ name, type }) => type === 'flag' && filters.has(name));
    if (flags.length < filters.size) return undefined;
    const condition = conditionsOf(flags.map(({ name }): Filter => ({ column: name, match: 'equals', value: filters.get(name)! })));
    const list = { ...this.list, id, condition };
    const field = searchFields(collection).find(({ name }) => name === orderby);
    if (!field) return { ...list, column: id };
    if (field.type === 'text') return { ...list, column: `${field.name}_folded` };
    if (field.type !== 'related') return { ...list, column: field.name };
    const reference = { table: field.table, column: referenceColumn(collection, field.table), order: `${field.column}_folded` };
    return { ...list, column: id, reference };
  }

  /** Joins the tables of related fields. */
  private joins(fields: readonly Field[]): string[] {
    const { name, fields: all } = this.query.collection;
    const tables = new Set(fields.flatMap((field) => (field.type === 'related' ? field.table : [])));
    return all.flatMap((field) =>
      field.type === 'reference' && tables.has(field.table)
        ? `${this.join} ${field.table} ON ${field.table}.${field.name} = ${name}.${field.name}`
        : [],
    );
  }

  private where(account = 'account_id'): Statement {
    const { sql, values } = this.conditions;
    return [`WHERE ${this.list.table}.${account} = ?${sql}`, [this.list.accountId, ...values]];
  }

  private whereAmong(column: string, among: readonly number[]): Statement {
    // `+ 0` keeps planners from reading the account's whole index (a million records in batches on MariaDB: 180 s instead of 11).
    const [where, values] = this.where('account_id + 0');
    return [`${where} AND ${this.list.table}.${column} IN (${among.map(() => '?').join(', ')})`, [...values, ...among]];
  }
}

function searchColumn(table: string, field: SearchField): string {
  if (field.type === 'related') return `${field.table}.${field.column}_folded`;
  return field.type === 'text' ? `${table}.${field.name}_folded` : `${table}.${field.name}`;
}

/** The column that refers to the table; definitions are checked to have one. */
export function referenceColumn({ fields }: Collection, table: string): string {
  return fields.find((field) => field.type === 'reference' && field.table === table)!.name;
}
