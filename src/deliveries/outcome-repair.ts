import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../platform/common/time';
import { Dialect } from '../platform/database/dialect';
import { inList } from '../platform/database/value-lists';
import { WriteExecutor, yieldToWriters } from '../platform/database/writes/transactions';
import { Job } from '../platform/jobs/job.decorator';
import { withStatistics } from './statistics/statistics-counters';
import type { Outcome } from './channels/channel';

/** Deliveries per batch, each of which occupies the embedded database for some milliseconds. */
const BATCH = 500;
const LAST = '(SELECT outcome FROM delivery_attempts WHERE delivery_id = deliveries.id ORDER BY number DESC, id DESC LIMIT 1)';
const READ = `SELECT id, outcome, ${LAST} FROM deliveries WHERE id > ? ORDER BY id LIMIT ${BATCH}`;
const LOCK = 'SELECT id FROM deliveries WHERE id IN';
const REPAIR = `UPDATE deliveries SET outcome = ${LAST} WHERE id IN`;

type Read = [id: number, outcome: Outcome | null, last: Outcome | null];

/** Fills in the outcome of deliveries attempted by a process of an older version, which doesn't write the column. */
@Injectable()
export class OutcomeRepair {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
  ) {}

  /** Returns the number of deliveries that were wrong. */
  @Job({ name: 'delivery-outcomes', everyMs: DAY_MS, atStart: true, isRepair: true })
  async run(signal: AbortSignal): Promise<number> {
    let repaired = 0;
    for (let last: number | undefined = 0; last !== undefined;) {
      signal.throwIfAborted();
      const rows: Read[] = await this.dialect.read<Read>(READ, [last]);
      repaired += await this.repair(rows.filter(([, outcome, found]) => outcome !== found).map(([id]) => id));
      last = rows.length < BATCH ? undefined : rows[rows.length - 1][0];
      await yieldToWriters();
    }
    return repaired;
  }

  /** Reads the attempts again under the lock, since another may have ended. No `countChanges`: lists of deliveries ignore updates. */
  private async repair(ids: readonly number[]): Promise<number> {
    if (ids.length === 0) return 0;
    const { sql, values } = inList(ids);
    return this.executor.run(async (statements) => {
      const locked = await statements.read(`${LOCK} ${sql} ORDER BY id${this.dialect.sql.forUpdate}`, values);
      await withStatistics(this.dialect, statements, ids, () => statements.write(`${REPAIR} ${sql}`, values));
      return locked.length;
    });
  }
}
