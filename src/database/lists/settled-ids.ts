import { Injectable } from '@nestjs/common';
import { Dialect } from '../dialect';

/** No transaction that inserts records takes longer; this also bounds by how much UPDATE_TIME lags (see `changeMarker`). */
const SETTLED_SECONDS = 10;

interface Observation {
  readonly settled: number;
  /** The newest id at `seenAt`, by the monotonic clock. */
  readonly newest: number;
  readonly seenAt: number;
}

/** On MySQL, transactions commit out of the order of their ids: a count must not be remembered of ids that may still come. */
@Injectable()
export class SettledIds {
  private readonly tables = new Map<string, Observation>();

  constructor(private readonly dialect: Dialect) {}

  /** The id up to which all inserts have been committed or rolled back: what was newest a while ago, or is in a table at rest. */
  async find(table: string): Promise<number> {
    const seenAt = performance.now();
    const [[max]] = await this.dialect.read(`SELECT COALESCE(MAX(id), 0) FROM ${table}`, []);
    const newest = Number(max);
    const isAtRest = (await this.dialect.changeMarker([table], SETTLED_SECONDS)) !== undefined;
    const last = this.tables.get(table);
    if (last && !isAtRest && seenAt - last.seenAt < SETTLED_SECONDS * 1_000) return last.settled;
    const settled = isAtRest ? newest : (last?.newest ?? 0);
    this.tables.set(table, { settled, newest, seenAt });
    return settled;
  }
}
