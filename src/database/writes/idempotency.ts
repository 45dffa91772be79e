import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { timestamp } from '../../common/time';
import { IdempotencyKeyReused, type WriteContext } from '../../common/write-context';
import { Dialect, type SqlExecutor } from '../dialect';

const RETENTION_MS = 24 * 60 * 60 * 1_000;
const SWEEP_INTERVAL_MS = 10 * 60 * 1_000;
const SWEEP_BATCH = 1_000;
/** MySQL allows LIMIT in an IN subquery only inside a derived table. */
const SWEEP = `DELETE FROM idempotency_keys WHERE key_hash IN
  (SELECT key_hash FROM (SELECT key_hash FROM idempotency_keys WHERE datetime <= ? LIMIT ${SWEEP_BATCH}) old)`;
const FIND = 'SELECT fingerprint, record_id FROM idempotency_keys WHERE key_hash = ? AND datetime > ?';
const DELETE_EXPIRED = 'DELETE FROM idempotency_keys WHERE key_hash = ? AND datetime <= ?';
const INSERT = 'INSERT INTO idempotency_keys (key_hash, account_id, fingerprint, record_id, datetime) VALUES (?, ?, ?, 0, ?)';
const UPDATE = 'UPDATE idempotency_keys SET record_id = ? WHERE key_hash = ?';

/** Stores the result of a request with an idempotency key, in the request's own transaction. */
@Injectable()
export class Idempotency implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Idempotency.name);
  private sweeper?: NodeJS.Timeout;

  constructor(private readonly dialect: Dialect) {}

  onModuleInit(): void {
    const interval = SWEEP_INTERVAL_MS * (0.5 + Math.random()); // spreads the sweeps of processes started together
    this.sweeper = setInterval(() => void this.sweep(), interval).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.sweeper);
  }

  /** The record id that the request returned before, if any. @throws IdempotencyKeyReused */
  async find(context: WriteContext): Promise<number | undefined> {
    const [row] = await this.dialect.read(FIND, [hashOf(context), expiry()]);
    if (!row) return undefined;
    if (row[0] !== context.idempotency?.fingerprint) throw new IdempotencyKeyReused();
    return Number(row[1]);
  }

  /** Inserts the key before the work, which locks out other processes. @throws QueryFailedError when it exists */
  async claim(statements: SqlExecutor, context: WriteContext): Promise<void> {
    const hash = hashOf(context);
    await statements.write(DELETE_EXPIRED, [hash, expiry()]);
    await statements.write(INSERT, [hash, context.accountId, context.idempotency!.fingerprint, timestamp()]);
  }

  async complete(statements: SqlExecutor, context: WriteContext, recordId: number): Promise<void> {
    await statements.write(UPDATE, [recordId, hashOf(context)]);
  }

  /** In batches, so that no statement holds its locks for long. */
  private async sweep(): Promise<void> {
    try {
      for (let deleted = SWEEP_BATCH; deleted === SWEEP_BATCH;) {
        ({ affected: deleted } = await this.dialect.statementTransaction((statements) => statements.write(SWEEP, [expiry()])));
      }
    } catch (error) {
      this.logger.warn({ message: 'expired idempotency keys not deleted', err: error });
    }
  }
}

function expiry(): string {
  return timestamp(new Date(Date.now() - RETENTION_MS));
}

function hashOf({ accountId, idempotency }: WriteContext): string {
  return createHash('sha256').update(`${accountId} ${idempotency!.key}`).digest('hex');
}
