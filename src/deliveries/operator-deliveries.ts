import { Injectable } from '@nestjs/common';
import { timestamp } from '../common/time';
import { operatorContext } from '../common/write-context';
import { Dialect, type RowValues, type SqlExecutor } from '../database/dialect';
import { RecordNotFound } from '../database/records/records';
import { inList } from '../database/value-lists';
import { WriteExecutor, yieldToWriters } from '../database/writes/transactions';
import { RequestError } from '../http/errors/request-error';
import type { Outcome } from './channels/channel';
import { DeliveriesService } from './deliveries.service';
import type { DeliveryRecord } from './delivery.dto';
import type { DeliveryStatus } from './delivery.entity';

export interface DeliveryListQuery {
  accountId?: number;
  status?: DeliveryStatus;
  max: number;
}

export interface ListedDelivery extends Omit<DeliveryRecord, 'last_datetime'> {
  account_id: number;
  /** Of the last attempt that has ended. */
  outcome: Outcome | null;
}

const SELECT = `SELECT id, account_id, message_id, handler_id, type, status, attempts, next_attempt, datetime,
  (SELECT outcome FROM delivery_attempts WHERE delivery_id = deliveries.id ORDER BY number DESC LIMIT 1) FROM deliveries`;

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

/** Lists deliveries of all accounts, and retries failed ones by the rules of the route. */
@Injectable()
export class OperatorDeliveries {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly executor: WriteExecutor,
    private readonly dialect: Dialect,
  ) {}

  /** The newest first. */
  async find({ accountId, status, max }: DeliveryListQuery): Promise<ListedDelivery[]> {
    const conditions = [...(accountId === undefined ? [] : ['account_id = ?']), ...(status === undefined ? [] : ['status = ?'])];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const values = [accountId, status, max].filter((value) => value !== undefined);
    return (await this.dialect.read(`${SELECT} ${where} ORDER BY id DESC LIMIT ?`, values)).map(toListed);
  }

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

function toListed([id, account, message, handler, type, status, attempts, next, datetime, outcome]: RowValues): ListedDelivery {
  return {
    ...{ id: Number(id), account_id: Number(account), message_id: Number(message), handler_id: Number(handler), type: String(type) },
    ...{ status: status as DeliveryStatus, attempts: Number(attempts), outcome: outcome as Outcome | null, datetime: String(datetime) },
    next_attempt: next === null ? null : timestamp(new Date(Number(next))),
  };
}
