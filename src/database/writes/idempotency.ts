import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { DAY_MS, MINUTE_MS, timestamp } from '../../common/time';
import { IdempotencyKeyReused, type WriteContext } from '../../common/write-context';
import { Job } from '../../jobs/job.decorator';
import { Dialect, type SqlExecutor } from '../dialect';

const KEEP_MS = DAY_MS;
const BATCH = 1_000;
/** MySQL allows LIMIT in an IN subquery only inside a derived table. */
const DELETE_OLD = `DELETE FROM idempotency_keys WHERE key_hash IN
  (SELECT key_hash FROM (SELECT key_hash FROM idempotency_keys WHERE datetime <= ? LIMIT ${BATCH}) old)`;
const FIND = 'SELECT fingerprint, record_id FROM idempotency_keys WHERE key_hash = ? AND datetime > ?';
const DELETE_EXPIRED = 'DELETE FROM idempotency_keys WHERE key_hash = ? AND datetime <= ?';
const INSERT = 'INSERT INTO idempotency_keys (key_hash, account_id, fingerprint, record_id, datetime) VALUES (?, ?, ?, 0, ?)';
const UPDATE = 'UPDATE idempotency_keys SET record_id = ? WHERE key_hash = ?';

/** Stores the result of a request with an idempotency key, in the request's own transaction. */
@Injectable()
export class Idempotency {
  constructor(
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {}

  /** The record id that the request returned before, if any. @throws IdempotencyKeyReused */
  async find(context: WriteContext): Promise<number | undefined> {
    const [row] = await this.dialect.read<[fingerprint: string, recordId: number]>(FIND, [hashOf(context), this.expiry()]);
    if (row && row[0] !== context.idempotency!.fingerprint) throw new IdempotencyKeyReused();
    return row?.[1];
  }

  /** Inserts the key before the work, which locks out other processes. @throws QueryFailedError when it exists */
  async claim(statements: SqlExecutor, context: WriteContext): Promise<void> {
    const hash = hashOf(context);
    await statements.write(DELETE_EXPIRED, [hash, this.expiry()]);
    await statements.write(INSERT, [hash, context.accountId, context.idempotency!.fingerprint, timestamp(new Date(this.clock.now()))]);
  }

  async complete(statements: SqlExecutor, context: WriteContext, recordId: number): Promise<void> {
    await statements.write(UPDATE, [recordId, hashOf(context)]);
  }

  /** In batches, so that no statement holds its locks for long. */
  @Job({ name: 'idempotency-keys', everyMs: 10 * MINUTE_MS })
  async deleteExpired(signal: AbortSignal): Promise<void> {
    for (let deleted = BATCH; deleted === BATCH;) {
      signal.throwIfAborted();
      ({ affected: deleted } = await this.dialect.statementTransaction((statements) => statements.write(DELETE_OLD, [this.expiry()])));
    }
  }

  private expiry(): string {
    return timestamp(new Date(this.clock.now() - KEEP_MS));
  }
}

function hashOf({ accountId, idempotency }: WriteContext): string {
  return createHash('sha256').update(`${accountId} ${idempotency!.key}`).digest('hex');
}
