import { Injectable } from '@nestjs/common';
import { operatorContext } from '../../common/write-context';
import { Dialect, type SqlExecutor } from '../../database/dialect';
import { RecordNotFound } from '../../database/records/records';
import { inList } from '../../database/value-lists';
import { WriteExecutor, yieldToWriters } from '../../database/writes/transactions';
import { RequestError } from '../../http/errors/request-error';
import { DeliveriesService } from '../deliveries.service';

/** Deliveries per transaction, to keep the locks of lanes short. */
const BATCH = 20;

const FAILED = "status = 'failed' AND last_datetime >= ? AND id > ? AND id <= ?";
const LOCK = 'SELECT id, account_id, status, lane FROM deliveries WHERE id IN';

export interface FailedSince {
  /** A prefix of `YYYY-MM-DD HH:MM:SS`; when they failed. */
  since: string;
  accountId?: number;
}

export interface RetryCounts {
  retried: number;
  /** The handler is deleted, disabled or of another type. */
  skipped: number;
}

/** Retries failed deliveries of any account, by the rules of the route. */
@Injectable()
export class OperatorRetries {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly executor: WriteExecutor,
    private readonly dialect: Dialect,
  ) {}

  /** @throws RecordNotFound, RequestError 409 */
  async retry(id: number): Promise<void> {
    const [row] = await this.dialect.read('SELECT account_id FROM deliveries WHERE id = ?', [id]);
    if (!row) throw new RecordNotFound('delivery');
    await this.deliveries.retry(operatorContext(Number(row[0])), id);
  }

  /** Retries in batches. After an interruption, run it again: what it has retried is no longer failed. */
  async retryFailed(query: FailedSince): Promise<RetryCounts> {
    const [[newest]] = await this.dialect.read('SELECT MAX(id) FROM deliveries', []);
    const total = { retried: 0, skipped: 0 };
    for (let last = 0; ;) {
      const ids = await this.findFailed(query, last, Number(newest));
      if (ids.length === 0) return total;
      const { retried, skipped } = await this.executor.runWithRetries((statements) => this.retryBatch(statements, ids));
      total.retried += retried;
      total.skipped += skipped;
      last = ids[ids.length - 1];
      await yieldToWriters();
    }
  }

  private async findFailed({ since, accountId }: FailedSince, after: number, newest: number): Promise<number[]> {
    const ofAccount = accountId === undefined ? '' : ' AND account_id = ?';
    const sql = `SELECT id FROM deliveries WHERE ${FAILED}${ofAccount} ORDER BY id LIMIT ${BATCH}`;
    const rows = await this.dialect.read(sql, [since, after, newest, ...(accountId === undefined ? [] : [accountId])]);
    return rows.map(([id]) => Number(id));
  }

  /** Locks deliveries before lanes, and lanes by name, as everybody does. */
  private async retryBatch(statements: SqlExecutor, ids: readonly number[]): Promise<RetryCounts> {
    const { sql, values } = inList(ids);
    const rows = await statements.read(`${LOCK} ${sql} ORDER BY id${this.dialect.forUpdate}`, values);
    const failed = rows.filter(([, , status]) => status === 'failed').sort(([, , , a], [, , , b]) => (String(a) < String(b) ? -1 : 1));
    let retried = 0;
    for (const [id, accountId] of failed) {
      try {
        await this.deliveries.retryWithin(statements, operatorContext(Number(accountId)), Number(id));
        retried++;
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
      }
    }
    return { retried, skipped: failed.length - retried };
  }
}
