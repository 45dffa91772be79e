import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Dialect, type NamedRow } from '../database/dialect';
import type { IntegerList } from '../common/integer-list';
import { Page, type PageRequest } from '../common/page';
import { RecordNotFound, type Row } from '../database/records/records';
import { versionOf, type Versioned } from '../common/version';
import type { Collection } from './collections/collection';
import type { ListQuery, RecordQuery } from './query/scheduling-query';
import { recordOf } from './query/rows';
import { type Statement, Statements } from './query/statement';

/**
 * Most lists are no longer, and take one statement. Of a smaller number MariaDB takes it that the index of the order finds
 * them soon, and reads 10,000 records for one in ten of them in twice the time.
 */
const FIRST = 10_000;
const BATCH = 500;

/** A list: the beginning, whole when there is no rest. Whoever sends it takes the records out, so that none is kept that is sent. */
export interface RecordList {
  first: Row[];
  rest?: AsyncGenerator<Row[]>;
  /** Resolved when it is known which the rest are, or that this can't be known: the most of the work. */
  found?: Promise<void>;
}

/** Reads the scheduling records: one service for every collection, by its definition. */
@Injectable()
export class SchedulingService {
  constructor(private readonly dialect: Dialect) {}

  /** @throws RecordNotFound */
  async find(accountId: number, { collection, id }: RecordQuery): Promise<Versioned<Row>> {
    const [row] = await this.read(this.statements(collection).one(accountId, id));
    if (!row) throw new RecordNotFound(collection.noun);
    const record = recordOf(collection, row);
    return { record, version: versionOf(record) };
  }

  async findPage(accountId: number, query: ListQuery, request: PageRequest): Promise<Page<Row>> {
    const statements = this.statements(query.collection);
    const [{ total: count }] = await this.read(statements.count(accountId, query));
    const total = Number(count);
    const offset = (request.page - 1) * request.size;
    const rows = offset < total ? await this.read(statements.list(accountId, query, request.size, offset)) : [];
    return new Page(
      rows.map((row) => recordOf(query.collection, row)),
      total,
      request,
    );
  }

  /**
   * Every record of a list. What comes after the first statement is read by its ids, which are found in one more: to go on
   * by the last record of each batch is left to the planner, and MariaDB reads an account of a million from its beginning
   * each time (measured: 1.4 s a batch). A connection is held for the time of one statement, never while the reader of the
   * batches is slow.
   */
  async findAll(accountId: number, query: ListQuery): Promise<RecordList> {
    const rows = await this.read(this.statements(query.collection).list(accountId, query, FIRST));
    const first = rows.map((row) => recordOf(query.collection, row));
    if (rows.length < FIRST) return { first };
    const { sql, parameters } = this.statements(query.collection).ids(accountId, query);
    const ids = this.dialect.readIntegers(sql, parameters);
    const found = ids.then(
      () => undefined,
      () => undefined, // it fails again where the rest is read
    );
    return { first, rest: this.findRest(accountId, query, ids, Number(rows[FIRST - 1][query.collection.id])), found };
  }

  /** What follows the record with this id. */
  private async *findRest(accountId: number, query: ListQuery, all: Promise<IntegerList>, lastId: number): AsyncGenerator<Row[]> {
    const ids = await all;
    if (!ids.dropThrough(lastId)) ids.take(FIRST); // the last one that was sent may be gone since
    yield* this.findByIds(accountId, query.collection, ids);
  }

  private async *findByIds(accountId: number, collection: Collection, ids: IntegerList): AsyncGenerator<Row[]> {
    while (ids.length > 0) {
      yield await this.readBatch(accountId, collection, ids.take(BATCH));
      await nextTurn(); // the embedded database answers without a turn of the event loop; other requests need theirs
    }
  }

  private async readBatch(accountId: number, collection: Collection, ids: number[]): Promise<Row[]> {
    const filled = Array.from({ length: BATCH }, (_, index) => ids[index] ?? ids[0]); // so that one statement serves all
    const rows = await this.dialect.readNamed(this.statements(collection).some(BATCH), [accountId, ...filled]);
    const byId = new Map(rows.map((row) => [row[collection.id], row]));
    const inOrder = ids.map((id) => byId.get(id)).filter((row) => row !== undefined); // one may be gone since
    return inOrder.map((row) => recordOf(collection, row));
  }

  private read({ sql, parameters }: Statement): Promise<NamedRow[]> {
    return this.dialect.readNamed(sql, parameters);
  }

  private statements(collection: Collection): Statements {
    return new Statements(collection, this.dialect.orderedJoin);
  }
}
