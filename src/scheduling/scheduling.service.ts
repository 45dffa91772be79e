import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { IntegerQueue } from '../common/integer-queue';
import { type Page, type PageRequest, versionOf, type Versioned } from '../common/records';
import { Dialect } from '../database/dialect';
import { MAX_SMALL } from '../database/lists/list-counts';
import { OrderedPages } from '../database/lists/ordered-pages';
import { RecordNotFound, type Row } from '../database/records/records';
import { type CollectionQuery, orderFields, type RecordQuery } from './scheduling-query';
import { recordOf, SchedulingReader } from './scheduling-reader';
import type { SchedulingSql } from './scheduling-sql';

/**
 * Records read by the first query, enough for most lists. With a smaller LIMIT, MariaDB prefers the index it sorts by, and
 * reading 10,000 of 100,000 records takes twice as long.
 */
const FIRST = 10_000;
const BATCH = 500;
/** After this, the database sorts: other lists' passes may be ahead, and only one runs at a time. */
const MAX_WAIT_MS = 2_000;

/** The beginning of a list, or all of it when `rest` is absent. Senders remove records from `first` to free memory. */
export interface RecordList {
  first: Row[];
  rest?: AsyncGenerator<Row[]>;
  /** Resolves when the query for the remaining ids, most of the work, succeeds or fails. */
  found?: Promise<void>;
}

/** Reads any collection, using its definition. */
@Injectable()
export class SchedulingService {
  constructor(
    private readonly dialect: Dialect,
    private readonly reader: SchedulingReader,
    private readonly pages: OrderedPages,
  ) {}

  /** @throws RecordNotFound */
  async find(accountId: number, { collection, id }: RecordQuery): Promise<Versioned<Row>> {
    const all: CollectionQuery = { collection, orderby: collection.id, sort: 'asc', filters: new Map() };
    const [record] = await this.reader.read(collection, this.reader.sqlOf(accountId, all).byId(id));
    if (!record) throw new RecordNotFound(collection.noun);
    return { record, version: versionOf(record) };
  }

  async findPage(accountId: number, query: CollectionQuery, request: PageRequest): Promise<Page<Row>> {
    const offset = Math.min((request.page - 1) * request.size, Number.MAX_SAFE_INTEGER);
    const sql = this.reader.sqlOf(accountId, query);
    return (await this.readOrdered(sql, request, offset)) ?? this.readFiltered(sql, request, offset);
  }

  /**
   * Every record of a list. A second query finds the remaining ids, and records are read by id: with keyset pagination
   * MariaDB scans an account of a million records from the start for each batch (measured: 1.4 s a batch). No connection is
   * held between queries, so a slow client holds none.
   */
  async findAll(accountId: number, query: CollectionQuery): Promise<RecordList> {
    const { collection } = query;
    const sql = this.reader.sqlOf(accountId, query);
    const matches = await this.reader.findMatches(sql);
    if (matches?.ids) return this.readMatches(sql, matches.ids);
    const first = await this.reader.read(collection, sql.page(FIRST), sql.list);
    if (first.length < FIRST) return { first };
    const ids = this.dialect.readIntegers(...sql.ids(), sql.list);
    const ignore = () => undefined; // findRest throws the error
    const found = ids.then(ignore, ignore);
    return { first, rest: this.findRest(sql, ids, Number(first[FIRST - 1][collection.id])), found };
  }

  /** Undefined while the order isn't cached, or if a filter isn't a flag. */
  private async readOrdered(sql: SchedulingSql, request: PageRequest, offset: number): Promise<Page<Row> | undefined> {
    const { collection, sort } = sql.query;
    const list = sql.ordered();
    const page = list && (await this.pages.read(list, offset, request.size, sort, sql.pageSource));
    return page && { records: page.rows.map((row) => recordOf(collection, row)), total: page.total, request };
  }

  private async readFiltered(sql: SchedulingSql, request: PageRequest, offset: number): Promise<Page<Row>> {
    const matches = await this.reader.findMatches(sql);
    const ids = matches?.ids?.slice(offset, offset + request.size);
    const records = ids && (await this.reader.readByIds(sql, ids));
    if (matches && records && records.length === ids.length) return { records, total: matches.total, request };
    const total = matches && !ids ? matches.total : await this.count(sql); // recounted if a found record has changed since
    const prepared = total > MAX_SMALL && (await this.prepare(sql)) && (await this.readOrdered(sql, request, offset));
    if (prepared) return prepared;
    if (offset >= total) return { records: [], total, request };
    const statement = total > MAX_SMALL ? sql.deepPage(request.size, offset) : sql.page(request.size, offset);
    return { records: await this.reader.read(sql.query.collection, statement, sql.list), total, request };
  }

  private async count(sql: SchedulingSql): Promise<number> {
    const [{ total }] = await this.dialect.readNamed(...sql.count(), sql.list);
    return Number(total);
  }

  /**
   * Caches every order, the requested one first. Waits for one by a related text, since the database would sort the whole list (a million
   * records: 6 s instead of 0.7 on MariaDB). Returns whether it waited.
   */
  private async prepare(sql: SchedulingSql): Promise<boolean> {
    const lists = [sql.query.orderby, ...orderFields(sql.query.collection)].map((orderby) => sql.ordered(orderby));
    const [first] = lists.map((list) => list && this.pages.prepare(list));
    if (!lists[0]?.reference) return false;
    await Promise.race([first, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    return true;
  }

  private async readMatches(sql: SchedulingSql, ids: IntegerQueue): Promise<RecordList> {
    const first = await this.reader.readByIds(sql, ids.take(BATCH));
    return ids.length > 0 ? { first, rest: this.readBatches(sql, ids), found: Promise.resolve() } : { first };
  }

  private async *findRest(sql: SchedulingSql, all: Promise<IntegerQueue>, lastId: number): AsyncGenerator<Row[]> {
    const ids = await all;
    if (!ids.dropThrough(lastId)) ids.take(FIRST); // the last record may have been deleted since
    yield* this.readBatches(sql, ids);
  }

  private async *readBatches(sql: SchedulingSql, ids: IntegerQueue): AsyncGenerator<Row[]> {
    while (ids.length > 0) {
      yield await this.reader.readByIds(sql, ids.take(BATCH));
      await yieldToEventLoop(); // the embedded database is synchronous and would starve other requests
    }
  }
}
