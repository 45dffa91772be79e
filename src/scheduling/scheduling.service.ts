import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Dialect } from '../database/dialect';
import { Page, type PageRequest } from '../database/page';
import { RecordNotFound, type Row } from '../database/records';
import type { Collection } from './collection';
import type { ListQuery, RecordQuery } from './scheduling-query';
import { type Cursor, cursorOf, isRelatedOrder, recordOf, type SchedulingRow, type Statement, Statements } from './statement';

const BATCH = 1_000;

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
    const rows = offset < Number(total) ? await this.query(statements.list(accountId, query, request.size, { offset })) : [];
    return new Page(
      rows.map((row) => recordOf(query.collection, row)),
      Number(total),
      request,
    );
  }

  /**
   * Every record of a list, batch by batch. A connection is held for the time of one statement only, never while the
   * reader of the batches is slow.
   */
  async *findAll(accountId: number, query: ListQuery): AsyncGenerator<Row[]> {
    const { collection } = query;
    const statements = this.statements(collection);
    let after: Cursor | undefined;
    for (;;) {
      const rows = await this.query(statements.list(accountId, query, BATCH, { after }));
      yield rows.map((row) => recordOf(collection, row));
      if (rows.length < BATCH) return;
      after = cursorOf(query, rows[BATCH - 1]);
      if (isRelatedOrder(query)) break;
      await nextTurn(); // the embedded database answers without a turn of the event loop; other requests need theirs
    }
    yield* this.findByIds(accountId, collection, await this.readIds(statements.ids(accountId, query, after)));
  }

  private async *findByIds(accountId: number, collection: Collection, ids: Int32Array): AsyncGenerator<Row[]> {
    const statements = this.statements(collection);
    for (let start = 0; start < ids.length; start += BATCH) {
      const batch = [...ids.subarray(start, start + BATCH)];
      const rows = await this.query(statements.some(accountId, batch));
      const byId = new Map(rows.map((row) => [row[collection.id], row]));
      const inOrder = batch.map((id) => byId.get(id)).filter((row) => row !== undefined); // one may be gone since
      yield inOrder.map((row) => recordOf(collection, row));
      await nextTurn();
    }
  }

  private readIds({ sql, parameters }: Statement): Promise<Int32Array> {
    return this.dialect.readIntegers(this.dataSource, sql, parameters);
  }

  private query({ sql, parameters }: Statement): Promise<SchedulingRow[]> {
    return this.dataSource.query(sql, parameters);
  }

  private statements(collection: Collection): Statements {
    return new Statements(collection, this.dialect.orderedJoin);
  }
}
