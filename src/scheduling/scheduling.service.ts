import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Dialect } from '../database/dialect';
import { Page, type PageRequest } from '../database/page';
import { RecordNotFound, type Row } from '../database/records';
import type { Collection } from './collection';
import type { ListQuery, RecordQuery } from './scheduling-query';
import { cursorOf, recordOf, type SchedulingRow } from './rows';
import { type Statement, Statements } from './statement';

const BATCH = 500;

/** Reads the scheduling records: one service for every collection, by its definition. */
@Injectable()
export class SchedulingService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {}

  /** @throws RecordNotFound */
  async find(accountId: number, { collection, id }: RecordQuery): Promise<Row> {
    const [row] = await this.query(this.statements(collection).one(accountId, id));
    if (!row) throw new RecordNotFound(collection.noun);
    return recordOf(collection, row);
  }

  async findPage(accountId: number, query: ListQuery, request: PageRequest): Promise<Page<Row>> {
    const statements = this.statements(query.collection);
    const [{ total }] = await this.query(statements.count(accountId, query));
    const offset = (request.page - 1) * request.size;
    const rows = offset < Number(total) ? await this.query(statements.list(accountId, query, request.size, offset)) : [];
    return new Page(
      rows.map((row) => recordOf(query.collection, row)),
      Number(total),
      request,
    );
  }

  /**
   * Every record of a list, batch by batch. What comes after the first batch is read by its ids, which are found in one
   * statement: to go on by the last record of each batch is left to the planner, and MariaDB reads an account of a million
   * from its beginning each time (measured: 1.4 s a batch). A connection is held for the time of one statement, never
   * while the reader of the batches is slow.
   */
  async *findAll(accountId: number, query: ListQuery): AsyncGenerator<Row[]> {
    const statements = this.statements(query.collection);
    const rows = await this.query(statements.list(accountId, query, BATCH));
    yield rows.map((row) => recordOf(query.collection, row));
    if (rows.length < BATCH) return;
    const rest = statements.ids(accountId, query, cursorOf(query, rows[BATCH - 1]));
    const ids = await this.dialect.readIntegers(rest.sql, rest.parameters);
    yield* this.findByIds(accountId, query.collection, ids);
  }

  private async *findByIds(accountId: number, collection: Collection, ids: Int32Array): AsyncGenerator<Row[]> {
    const statements = this.statements(collection);
    for (let start = 0; start < ids.length; start += BATCH) {
      const batch = [...ids.subarray(start, start + BATCH)];
      const rows = await this.query(statements.some(accountId, batch));
      const byId = new Map(rows.map((row) => [row[collection.id], row]));
      const inOrder = batch.map((id) => byId.get(id)).filter((row) => row !== undefined); // one may be gone since
      yield inOrder.map((row) => recordOf(collection, row));
      await nextTurn(); // the embedded database answers without a turn of the event loop; other requests need theirs
    }
  }

  private query({ sql, parameters }: Statement): Promise<SchedulingRow[]> {
    return this.dataSource.query(sql, parameters);
  }

  private statements(collection: Collection): Statements {
    return new Statements(collection, this.dialect.orderedJoin);
  }
}
