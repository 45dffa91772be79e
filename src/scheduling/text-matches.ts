import { Injectable } from '@nestjs/common';
import { IntegerQueue } from '../common/integer-queue';
import { Dialect, type RowValues } from '../database/dialect';
import { MAX_GIVEN, type Matches, TextSearch } from '../database/lists/text-search';
import { type SearchField, searchFields } from './collections/collection';
import { orderedList, referenceTo } from './query/scheduling-order';
import type { ListQuery } from './query/scheduling-query';
import type { Statement } from './query/scheduling-sql';
import { SchedulingReader } from './scheduling-reader';

type Related = Extract<SearchField, { type: 'related' }>;

/** Finds records of large lists by a text filter. */
@Injectable()
export class TextMatches {
  constructor(
    private readonly dialect: Dialect,
    private readonly search: TextSearch,
    private readonly reader: SchedulingReader,
  ) {}

  /** Undefined when the list is not large, not filtered by a text, or best filtered by the statement that reads it. */
  async find(accountId: number, query: ListQuery): Promise<Matches | undefined> {
    const { collection, filters, orderby, sort } = query;
    const texts = searchFields(collection).filter(({ name, type }) => (type === 'text' || type === 'related') && filters.has(name));
    const field = texts.find(({ type }) => type === 'text') ?? texts[0];
    if (!field) return undefined;
    const others = new Map([...filters].filter(([, value]) => typeof value === 'boolean'));
    const flagged: ListQuery = { collection, filters: others, orderby: field.name, sort: 'asc' };
    const ids = await this.findBy(field, accountId, flagged, String(filters.get(field.name)));
    if (!ids) return undefined;
    const isText = orderby === field.name && field.type === 'text';
    return this.search.matches(ids, {
      isWhole: filters.size === others.size + 1,
      order: isText ? 'text' : orderby === collection.id ? 'id' : 'other',
      isUp: sort === 'asc',
      narrow: (given) => this.narrow(accountId, query, collection.id, given),
    });
  }

  private async findBy(field: SearchField, accountId: number, query: ListQuery, text: string): Promise<IntegerQueue | undefined> {
    const list = orderedList(accountId, query)!;
    if (field.type !== 'related') return this.search.find(list, [text]);
    return text !== '' && (await this.search.isLarge(list)) ? this.findReferring(field, accountId, query, text) : undefined;
  }

  /** Few records are referred to; those that refer to them are found by an index, unless they are most of the list. */
  private async findReferring(field: Related, accountId: number, query: ListQuery, text: string): Promise<IntegerQueue | undefined> {
    const { table } = field;
    const column = referenceTo(query.collection, table);
    const count = `SELECT COUNT(*) FROM ${table} WHERE account_id = ?`;
    const found: RowValues[] = await this.dialect.read(
      `SELECT ${column}, (${count}) FROM ${table} WHERE account_id = ? AND INSTR(${field.column}_folded, ?) > 0 LIMIT ${MAX_GIVEN + 1}`,
      [accountId, accountId, text],
      { table, accountId },
    );
    if (found.length > MAX_GIVEN || 2 * found.length > Number(found[0]?.[1])) return undefined;
    const byId = { ...query, orderby: query.collection.id };
    const references = found.map(([id]) => Number(id));
    return this.narrow(accountId, byId, column, references);
  }

  /** Applies the list's filters to the records with these values, and sorts. */
  private async narrow(accountId: number, query: ListQuery, column: string, among: readonly number[]): Promise<IntegerQueue> {
    if (among.length === 0) return new IntegerQueue();
    const statement: Statement = this.reader.sqlOf(query.collection).idsAmong(accountId, query, column, among);
    return this.dialect.readIntegers(...statement, { table: query.collection.name, accountId });
  }
}
