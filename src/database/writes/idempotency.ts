import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type WriteContext, IdempotencyKeyReused } from '../../common/write-context';
import { Dialect, type Statements } from '../dialect';
import { timestamp } from '../../common/time';

const KEPT_MILLISECONDS = 24 * 60 * 60 * 1_000;
const SWEEP_MILLISECONDS = 10 * 60 * 1_000;
const SWEPT = 1_000;
/** MySQL deletes by no list that comes with a LIMIT, unless it is a table of its own. */
const SWEEP = `DELETE FROM idempotency_keys WHERE key_hash IN
  (SELECT key_hash FROM (SELECT key_hash FROM idempotency_keys WHERE datetime <= ? LIMIT ${SWEPT}) old)`;

/** Keeps which requests were carried out, in the transactions that carry them out. */
@Injectable()
export class Idempotency implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Idempotency.name);
  private sweeper?: NodeJS.Timeout;

  constructor(private readonly dialect: Dialect) {}

  onModuleInit(): void {
    const interval = SWEEP_MILLISECONDS * (0.5 + Math.random()); // processes that start together do not sweep together
    this.sweeper = setInterval(() => void this.sweep(), interval).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.sweeper);
  }

  /** The id in the answer of the same request, when it was carried out within a day. @throws KeyReused */
  async recall({ accountId, idempotency }: WriteContext): Promise<number | undefined> {
    const [row] = await this.dialect.read('SELECT fingerprint, record_id FROM idempotency_keys WHERE key_hash = ? AND datetime > ?', [
      hashOf(accountId, idempotency!.key),
      oldest(),
    ]);
    if (!row) return undefined;
    if (row[0] !== idempotency!.fingerprint) throw new IdempotencyKeyReused();
    return Number(row[1]);
  }

  /** Takes a key before the work is done, so that nobody else does it; the id follows by `keep`. @throws QueryFailedError when it is taken */
  async take(statements: Statements, { accountId, idempotency }: WriteContext): Promise<void> {
    const hash = hashOf(accountId, idempotency!.key);
    await statements.write('DELETE FROM idempotency_keys WHERE key_hash = ? AND datetime <= ?', [hash, oldest()]);
    await statements.write('INSERT INTO idempotency_keys (key_hash, account_id, fingerprint, record_id, datetime) VALUES (?, ?, ?, 0, ?)', [
      hash,
      accountId,
      idempotency!.fingerprint,
      timestamp(),
    ]);
  }

  async keep(statements: Statements, { accountId, idempotency }: WriteContext, recordId: number): Promise<void> {
    await statements.write('UPDATE idempotency_keys SET record_id = ? WHERE key_hash = ?', [recordId, hashOf(accountId, idempotency!.key)]);
  }

  /** A few at a time, for each statement holds what it deletes until it is done. */
  private async sweep(): Promise<void> {
    try {
      for (let deleted = SWEPT; deleted === SWEPT;) ({ affected: deleted } = await this.dialect.write(SWEEP, [oldest()]));
    } catch (error) {
      this.logger.warn({ message: 'old idempotency keys not deleted', err: error });
    }
  }
}

function oldest(): string {
  return timestamp(new Date(Date.now() - KEPT_MILLISECONDS));
}

function hashOf(accountId: number, key: string): string {
  return createHash('sha256').update(`${accountId} ${key}`).digest('hex');
}
