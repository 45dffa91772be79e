import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { IntegerQueue } from '../platform/common/integer-queue';
import { Page, type PageRequest, type Versioned, versionOf } from '../platform/common/records';
import { Dialect, type List, type RowValues } from '../platform/database/dialect';
import { ListCounts } from '../platform/database/lists/list-counts';
import { MAX_SMALL_LIST } from '../platform/database/lists/list-positions';
import { OrderedPages } from '../platform/database/lists/ordered-pages';
import { MAX_IDS_IN_SQL, type Matches, TextSearch } from '../platform/database/lists/text-search';
import type { Row } from '../platform/database/records/records';
import { type Collection, orderFields, type SearchField, searchFields } from './collections/collection';
import { type CollectionQuery, type RecordQuery, referenceColumn, SchedulingSql, type Statement } from './scheduling-sql';
import { RecordNotFound } from '../platform/common/errors';

/**
 * Records read by the first query, enough for most lists. With a smaller LIMIT, MariaDB prefers the index it sorts by, and
 * reading 10,000 of 100,000 records takes twice as long.
 */
const FIRST_BATCH = 10_000;
const RECORDS_PER_BATCH = 500;
/** How many ids a prepared statement can take. */
const BATCH_SIZES = [25, 100, RECORDS_PER_BATCH, 1_000];
/** Maximum wait for an order to be cached, since others may be ahead in the queue; then the database sorts instead. */
const MAX_WAIT_MS = 2_000;

/** The beginning of a list, or all of it when `rest` is absent. Senders remove records from `first` to free memory. */
export interface RecordList {
  first: Row[];
  rest?: AsyncGenerator<Row[]>;
  /** Resolves when the query for the remaining ids, most of the work, succeeds or fails. */
  idsFound?: Promise<void>;
}

type RelatedField = Extract<SearchField, { type: 'related' }>;

/** Reads any collection, using its definition. */
@Injectable()
export class SchedulingService {
  constructor(
    private readonly dialect: Dialect,
    private readonly counts: ListCounts,
    private readonly orders: OrderedPages,
    private readonly texts: TextSearch,
  ) {}

  /** @throws RecordNotFound */
  async find(accountId: number, { collection, id }: RecordQuery): Promise<Versioned<Row>> {
    const sql = this.sqlOf(accountId, { collection, orderby: collection.id, sort: 'asc', filters: new Map() });
    const [record] = await this.read(collection, sql.byId(id));
    if (!record) throw new RecordNotFound(collection.noun);
    return { record, version: versionOf(record) };
  }

  async findPage(accountId: number, query: CollectionQuery, request: PageRequest): Promise<Page<Row>> {
    const offset = Math.min((request.page - 1) * request.size, Number.MAX_SAFE_INTEGER);
    const sql = this.sqlOf(accountId, query);
    return (await this.readOrdered(sql, request, offset)) ?? this.readFiltered(sql, request, offset);
  }

  /**
   * Every record of a list. A second query finds the remaining ids, and records are read by id: with keyset pagination
   * MariaDB scans an account of a million records from the start for each batch (measured: 1.4 s a batch). No connection is
   * held between queries, so a slow client holds none.
   */
  async findAll(accountId: number, query: CollectionQuery): Promise<RecordList> {
    const { collection } = query;
    const sql = this.sqlOf(accountId, query);
    const matches = await this.findMatches(sql);
    if (matches?.ids) return this.readMatches(sql, matches.ids);
    const first = await this.read(collection, sql.page(FIRST_BATCH), sql.list);
    if (first.length < FIRST_BATCH) return { first };
    const ids = this.dialect.readIntegers(...sql.ids(), sql.list);
    const ignore = () => undefined; // findRest throws the error
    const idsFound = ids.then(ignore, ignore);
    return { first, rest: this.findRest(sql, ids, first[FIRST_BATCH - 1][collection.id] as number), idsFound };
  }

  private sqlOf(accountId: number, query: CollectionQuery): SchedulingSql {
    return new SchedulingSql(this.dialect.sql.orderedJoin, accountId, query);
  }

  /** Undefined while the order isn't cached, or if a filter isn't a flag. */
  private async readOrdered(sql: SchedulingSql, request: PageRequest, offset: number): Promise<Page<Row> | undefined> {
    const { collection, sort } = sql.query;
    const list = sql.ordered();
    const page = list && (await this.orders.read(list, offset, request.size, sort, sql.pageSource));
    if (!page) return undefined;
    const records = page.rows.map((row) => recordOf(collection, row));
    return new Page(records, page.total);
  }

  private async readFiltered(sql: SchedulingSql, request: PageRequest, offset: number): Promise<Page<Row>> {
    const matches = await this.findMatches(sql);
    const ids = matches?.ids?.slice(offset, offset + request.size);
    const records = ids && (await this.readByIds(sql, ids));
    if (matches && records && records.length === ids.length) return new Page(records, matches.total);
    const total = matches && !ids ? matches.total : await this.counts.selectCount(sql.list, sql.count()); // if a found record has changed since, too
    const prepared = total > MAX_SMALL_LIST && (await this.prepare(sql)) && (await this.readOrdered(sql, request, offset));
    if (prepared) return prepared;
    if (offset >= total) return new Page<Row>([], total);
    const statement = total > MAX_SMALL_LIST ? sql.deepPage(request.size, offset) : sql.page(request.size, offset);
    return new Page(await this.read(sql.query.collection, statement, sql.list), total);
  }

  /**
   * Caches every order, the requested one first. Waits up to MAX_WAIT_MS for the requested one if it is by a related text: the database
   * would sort the whole list (a million records: 6 s instead of 0.7 on MariaDB). Returns whether it waited.
   */
  private async prepare(sql: SchedulingSql): Promise<boolean> {
    const lists = [sql.query.orderby, ...orderFields(sql.query.collection)].map((orderby) => sql.ordered(orderby));
    const [first] = lists.map((list) => list && this.orders.prepare(list));
    if (!lists[0]?.reference) return false;
    await Promise.race([first, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    return true;
  }

  /** Undefined if the list is small, has no text filter, or is read faster in SQL. */
  private async findMatches(sql: SchedulingSql): Promise<Matches | undefined> {
    const { collection, filters, orderby, sort } = sql.query;
    const texts = searchFields(collection).filter(({ name, type }) => (type === 'text' || type === 'related') && filters.has(name));
    const field = texts.find(({ type }) => type === 'text') ?? texts[0];
    if (!field) return undefined;
    const others = new Map([...filters].filter(([, value]) => typeof value === 'boolean'));
    const flagged = this.sqlOf(sql.list.accountId, { collection, filters: others, orderby: collection.id, sort: 'asc' });
    const ids = await this.findBy(field, flagged, String(filters.get(field.name)));
    if (!ids) return undefined;
    const isText = orderby === field.name && field.type === 'text';
    return this.texts.matches(ids, {
      isOnlyFilter: filters.size === others.size + 1,
      order: isText ? 'text' : orderby === collection.id ? 'id' : 'other',
      isAscending: sort === 'asc',
      applyFilters: (given) => this.narrow(sql, collection.id, given),
    });
  }

  private async findBy(field: SearchField, sql: SchedulingSql, text: string): Promise<IntegerQueue | undefined> {
    if (field.type !== 'related') return this.texts.find(sql.ordered(field.name)!, [text]);
    return text !== '' && (await this.texts.isLarge(sql.list)) ? this.findReferring(field, sql, text) : undefined;
  }

  /** Finds the matching referenced records, then, by index, the records that refer to them. Undefined if too many match. */
  private async findReferring({ table, column }: RelatedField, sql: SchedulingSql, text: string): Promise<IntegerQueue | undefined> {
    const { accountId } = sql.list;
    const id = referenceColumn(sql.query.collection, table);
    const count = `SELECT COUNT(*) FROM ${table} WHERE account_id = ?`;
    const found = await this.dialect.read<[id: number, count: number]>(
      `SELECT ${id}, (${count}) FROM ${table} WHERE account_id = ? AND INSTR(${column}_folded, ?) > 0 LIMIT ${MAX_IDS_IN_SQL + 1}`,
      [accountId, accountId, text],
      { table, accountId },
    );
    const total = found[0]?.[1] ?? 0;
    if (found.length > MAX_IDS_IN_SQL || 2 * found.length > total) return undefined;
    const references = found.map(([reference]) => reference);
    return this.narrow(sql, id, references);
  }

  /** Applies the list's filters to the records with these values, and sorts. */
  private async narrow(sql: SchedulingSql, column: string, among: readonly number[]): Promise<IntegerQueue> {
    return among.length === 0 ? new IntegerQueue() : this.dialect.readIntegers(...sql.idsAmong(column, among), sql.list);
  }

  private async readMatches(sql: SchedulingSql, ids: IntegerQueue): Promise<RecordList> {
    const first = await this.readByIds(sql, ids.take(RECORDS_PER_BATCH));
    return ids.length > 0 ? { first, rest: this.readBatches(sql, ids), idsFound: Promise.resolve() } : { first };
  }

  private async *findRest(sql: SchedulingSql, all: Promise<IntegerQueue>, lastId: number): AsyncGenerator<Row[]> {
    const ids = await all;
    if (!ids.dropThrough(lastId)) ids.take(FIRST_BATCH); // the last record may have been deleted since
    yield* this.readBatches(sql, ids);
  }

  private async *readBatches(sql: SchedulingSql, ids: IntegerQueue): AsyncGenerator<Row[]> {
    while (ids.length > 0) {
      yield await this.readByIds(sql, ids.take(RECORDS_PER_BATCH));
      await yieldToEventLoop(); // the embedded database is synchronous and would starve other requests
    }
  }

  /** At most 1,000 records, in the order of `ids`, without those deleted or no longer matching. */
  private async readByIds(sql: SchedulingSql, ids: readonly number[]): Promise<Row[]> {
    if (ids.length === 0) return [];
    const size = BATCH_SIZES.find((each) => each >= ids.length)!;
    const filled = Array.from({ length: size }, (_, index) => ids[index] ?? ids[0]);
    const { collection } = sql.query;
    const records = await this.read(collection, sql.byIds(filled));
    const byId = new Map(records.map((record) => [record[collection.id], record]));
    return ids.map((id) => byId.get(id)).filter((record) => record !== undefined);
  }

  /** `list`: see `Dialect.read`. */
  private async read(collection: Collection, [sql, values]: Statement, list?: List): Promise<Row[]> {
    return (await this.dialect.read(sql, values, list)).map((row) => recordOf(collection, row));
  }
}

/** Converts a row that has the id first, then the values in the order of the fields. */
function recordOf({ id, fields }: Collection, row: RowValues): Row {
  const record: Row = { [id]: row[0] };
  fields.forEach(({ name, type }, index) => (record[name] = type === 'flag' ? row[index + 1] === 1 : row[index + 1]));
  return record;
}
