import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Dialect } from '../database/dialect';
import type { IntegerQueue } from '../common/integer-queue';
import { RecordNotFound, type Row } from '../database/records/records';
import { versionOf, type Versioned } from '../common/records';
import type { ListQuery, RecordQuery } from './query/scheduling-query';
import { SchedulingReader } from './scheduling-reader';
import { TextMatches } from './text-matches';

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
  constructor(
    private readonly dialect: Dialect,
    private readonly reader: SchedulingReader,
    private readonly texts: TextMatches,
  ) {}

  /** @throws RecordNotFound */
  async find(accountId: number, { collection, id }: RecordQuery): Promise<Versioned<Row>> {
    const [record] = await this.reader.read(collection, this.reader.sqlOf(collection).byId(accountId, id));
    if (!record) throw new RecordNotFound(collection.noun);
    return { record, version: versionOf(record) };
  }

  /**
   * Every record of a list. A second query finds the remaining ids, and records are read by id: with keyset pagination
   * MariaDB scans an account of a million records from the start for each batch (measured: 1.4 s a batch). No connection is
   * held between queries, so a slow client holds none.
   */
  async findAll(accountId: number, query: ListQuery): Promise<RecordList> {
    const { collection } = query;
    const matches = await this.texts.find(accountId, query);
    if (matches?.ids) return this.readMatches(accountId, query, matches.ids);
    const sql = this.reader.sqlOf(collection);
    const list = { table: collection.name, accountId };
    const first = await this.reader.read(collection, sql.list(accountId, query, FIRST), list);
    if (first.length < FIRST) return { first };
    const ids = this.dialect.readIntegers(...sql.ids(accountId, query), list);
    const ignore = () => undefined; // findRest throws the error
    const found = ids.then(ignore, ignore);
    return { first, rest: this.findRest(accountId, query, ids, Number(first[FIRST - 1][collection.id])), found };
  }

  private async readMatches(accountId: number, query: ListQuery, ids: IntegerQueue): Promise<RecordList> {
    const first = await this.reader.readByIds(accountId, query, ids.take(BATCH));
    return ids.length > 0 ? { first, rest: this.readBatches(accountId, query, ids), found: Promise.resolve() } : { first };
  }

  private async *findRest(accountId: number, query: ListQuery, all: Promise<IntegerQueue>, lastId: number): AsyncGenerator<Row[]> {
    const ids = await all;
    if (!ids.dropThrough(lastId)) ids.take(FIRST); // the last record may have been deleted since
    yield* this.readBatches(accountId, query, ids);
  }

  private async *readBatches(accountId: number, query: ListQuery, ids: IntegerQueue): AsyncGenerator<Row[]> {
    while (ids.length > 0) {
      yield await this.reader.readByIds(accountId, query, ids.take(BATCH));
      await nextTurn(); // the embedded database is synchronous; other requests need a turn of the event loop
    }
  }
}
