import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Dialect } from '../database/dialect';
import type { IntegerQueue } from '../common/integer-queue';
import { Page, type PageRequest } from '../common/page';
import { RecordNotFound, type Row } from '../database/records/records';
import { versionOf, type Versioned } from '../common/record-version';
import type { Collection } from './collections/collection';
import type { ListQuery, RecordQuery } from './query/scheduling-query';
import { SchedulingSql, type Statement } from './query/scheduling-sql';

/**
 * Records read by the first query, enough for most lists. With a smaller LIMIT, MariaDB prefers the index it sorts by, and
 * reading 10,000 of 100,000 records takes twice as long.
 */
const FIRST = 10_000;
const BATCH = 500;

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
  constructor(private readonly dialect: Dialect) {}

  /** @throws RecordNotFound */
  async find(accountId: number, { collection, id }: RecordQuery): Promise<Versioned<Row>> {
    const [record] = await this.read(collection, this.sqlOf(collection).byId(accountId, id));
    if (!record) throw new RecordNotFound(collection.noun);
    return { record, version: versionOf(record) };
  }

  async findPage(accountId: number, query: ListQuery, request: PageRequest): Promise<Page<Row>> {
    const { collection } = query;
    const sql = this.sqlOf(collection);
    const [count] = await this.dialect.readNamed(...sql.count(accountId, query));
    const total = Number(count.total);
    const offset = (request.page - 1) * request.size;
    const records = offset < total ? await this.read(collection, sql.list(accountId, query, request.size, offset)) : [];
    return new Page(records, total, request);
  }

  /**
   * Every record of a list. A second query finds the remaining ids, and records are read by id: with keyset pagination
   * MariaDB scans an account of a million records from the start for each batch (measured: 1.4 s a batch). No connection is
   * held between queries, so a slow client holds none.
   */
  async findAll(accountId: number, query: ListQuery): Promise<RecordList> {
    const { collection } = query;
    const sql = this.sqlOf(collection);
    const first = await this.read(collection, sql.list(accountId, query, FIRST));
    if (first.length < FIRST) return { first };
    const ids = this.dialect.readIntegers(...sql.ids(accountId, query));
    const ignore = () => undefined; // findRest throws the error
    const found = ids.then(ignore, ignore);
    return { first, rest: this.findRest(accountId, collection, ids, Number(first[FIRST - 1][collection.id])), found };
  }

  private async *findRest(accountId: number, collection: Collection, all: Promise<IntegerQueue>, lastId: number): AsyncGenerator<Row[]> {
    const ids = await all;
    if (!ids.dropThrough(lastId)) ids.take(FIRST); // the last record may have been deleted since
    while (ids.length > 0) {
      yield await this.readBatch(accountId, collection, ids.take(BATCH));
      await nextTurn(); // the embedded database is synchronous; other requests need a turn of the event loop
    }
  }

  private async readBatch(accountId: number, collection: Collection, ids: number[]): Promise<Row[]> {
    const filled = Array.from({ length: BATCH }, (_, index) => ids[index] ?? ids[0]); // one prepared statement for all batches
    const records = await this.read(collection, this.sqlOf(collection).byIds(accountId, filled));
    const byId = new Map(records.map((record) => [record[collection.id], record]));
    return ids.map((id) => byId.get(id)).filter((record) => record !== undefined); // some may have been deleted since
  }

  private async read({ fields }: Collection, [sql, values]: Statement): Promise<Row[]> {
    const rows = await this.dialect.readNamed(sql, values);
    for (const { name, type } of fields) if (type === 'flag') for (const row of rows) row[name] = row[name] === 1;
    return rows; // with the names and order of the fields
  }

  private sqlOf(collection: Collection): SchedulingSql {
    return new SchedulingSql(collection, this.dialect.orderedJoin);
  }
}
