import { Injectable } from '@nestjs/common';
import { Dialect, type List } from '../database/dialect';
import type { Row } from '../database/records/records';
import type { Collection } from './collections/collection';
import type { ListQuery } from './query/scheduling-query';
import { recordsOf } from './query/scheduling-records';
import { SchedulingSql, type Statement } from './query/scheduling-sql';

/** Numbers of ids that a statement is prepared for. */
const SIZES = [25, 100, 500, 1_000];

/** Reads records of any collection. */
@Injectable()
export class SchedulingReader {
  constructor(private readonly dialect: Dialect) {}

  sqlOf(collection: Collection): SchedulingSql {
    return new SchedulingSql(collection, this.dialect.orderedJoin);
  }

  /** `list` as for the dialect's `read`. */
  async read(collection: Collection, [sql, values]: Statement, list?: List): Promise<Row[]> {
    return recordsOf(collection, await this.dialect.readNamed(sql, values, list));
  }

  /** At most 1,000, in the order of their ids, without those that have been deleted or no longer match. */
  async readByIds(accountId: number, query: ListQuery, ids: readonly number[]): Promise<Row[]> {
    if (ids.length === 0) return [];
    const size = SIZES.find((each) => each >= ids.length)!;
    const filled = Array.from({ length: size }, (_, index) => ids[index] ?? ids[0]);
    const { collection } = query;
    const records = await this.read(collection, this.sqlOf(collection).byIds(accountId, query, filled));
    const byId = new Map(records.map((record) => [record[collection.id], record]));
    return ids.map((id) => byId.get(id)).filter((record) => record !== undefined);
  }
}
