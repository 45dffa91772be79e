import { Injectable } from '@nestjs/common';
import { IntegerQueue } from '../common/integer-queue';
import { Dialect, type List, type RowValues } from '../database/dialect';
import { MAX_GIVEN, type Matches, TextSearch } from '../database/lists/text-search';
import type { Row } from '../database/records/records';
import { type Collection, type SearchField, searchFields } from './collections/collection';
import type { CollectionQuery } from './scheduling-query';
import { referenceTo, SchedulingSql, type Statement } from './scheduling-sql';

/** Numbers of ids per prepared statement. */
const SIZES = [25, 100, 500, 1_000];

type Related = Extract<SearchField, { type: 'related' }>;

/** Reads records of any collection. */
@Injectable()
export class SchedulingReader {
  constructor(
    private readonly dialect: Dialect,
    private readonly search: TextSearch,
  ) {}

  sqlOf(accountId: number, query: CollectionQuery): SchedulingSql {
    return new SchedulingSql(this.dialect.sql.orderedJoin, accountId, query);
  }

  /** `list` as for the dialect's `read`. The rows have the names and order of the fields; a driver returns a flag as 0 or 1. */
  async read({ fields }: Collection, [sql, values]: Statement, list?: List): Promise<Row[]> {
    const rows = await this.dialect.readNamed(sql, values, list);
    for (const { name, type } of fields) if (type === 'flag') for (const row of rows) row[name] = row[name] === 1;
    return rows;
  }

  /** At most 1,000 records, in the order of `ids`, without those deleted or no longer matching. */
  async readByIds(sql: SchedulingSql, ids: readonly number[]): Promise<Row[]> {
    if (ids.length === 0) return [];
    const size = SIZES.find((each) => each >= ids.length)!;
    const filled = Array.from({ length: size }, (_, index) => ids[index] ?? ids[0]);
    const { collection } = sql.query;
    const records = await this.read(collection, sql.byIds(filled));
    const byId = new Map(records.map((record) => [record[collection.id], record]));
    return ids.map((id) => byId.get(id)).filter((record) => record !== undefined);
  }

  /** Undefined if the list isn't large or filtered by a text, or if reading it in SQL is faster. */
  async findMatches(sql: SchedulingSql): Promise<Matches | undefined> {
    const { collection, filters, orderby, sort } = sql.query;
    const texts = searchFields(collection).filter(({ name, type }) => (type === 'text' || type === 'related') && filters.has(name));
    const field = texts.find(({ type }) => type === 'text') ?? texts[0];
    if (!field) return undefined;
    const others = new Map([...filters].filter(([, value]) => typeof value === 'boolean'));
    const flagged = this.sqlOf(sql.list.accountId, { collection, filters: others, orderby: collection.id, sort: 'asc' });
    const ids = await this.findBy(field, flagged, String(filters.get(field.name)));
    if (!ids) return undefined;
    const isText = orderby === field.name && field.type === 'text';
    return this.search.matches(ids, {
      isWhole: filters.size === others.size + 1,
      order: isText ? 'text' : orderby === collection.id ? 'id' : 'other',
      isUp: sort === 'asc',
      narrow: (given) => this.narrow(sql, collection.id, given),
    });
  }

  private async findBy(field: SearchField, sql: SchedulingSql, text: string): Promise<IntegerQueue | undefined> {
    if (field.type !== 'related') return this.search.find(sql.ordered(field.name)!, [text]);
    return text !== '' && (await this.search.isLarge(sql.list)) ? this.findReferring(field, sql, text) : undefined;
  }

  /** Finds the matching referenced records, then, by index, the records that refer to them. Undefined if too many match. */
  private async findReferring({ table, column }: Related, sql: SchedulingSql, text: string): Promise<IntegerQueue | undefined> {
    const { accountId } = sql.list;
    const id = referenceTo(sql.query.collection, table);
    const count = `SELECT COUNT(*) FROM ${table} WHERE account_id = ?`;
    const found = await this.dialect.read<[id: number, count: number]>(
      `SELECT ${id}, (${count}) FROM ${table} WHERE account_id = ? AND INSTR(${column}_folded, ?) > 0 LIMIT ${MAX_GIVEN + 1}`,
      [accountId, accountId, text],
      { table, accountId },
    );
    if (found.length > MAX_GIVEN || 2 * found.length > found[0]?.[1]) return undefined;
    const references = found.map(([reference]) => reference);
    return this.narrow(sql, id, references);
  }

  /** Applies the list's filters to the records with these values, and sorts. */
  private async narrow(sql: SchedulingSql, column: string, among: readonly number[]): Promise<IntegerQueue> {
    return among.length === 0 ? new IntegerQueue() : this.dialect.readIntegers(...sql.idsAmong(column, among), sql.list);
  }
}

/** A row whose values are in the order of the fields, after the id. */
export function recordOf({ id, fields }: Collection, row: RowValues): Row {
  const record: Row = { [id]: row[0] };
  fields.forEach(({ name, type }, index) => (record[name] = type === 'flag' ? row[index + 1] === 1 : row[index + 1]));
  return record;
}
