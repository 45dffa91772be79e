import { Injectable } from '@nestjs/common';
import { Column, DataSource, Entity, LessThanOrEqual, PrimaryColumn } from 'typeorm';
import { Clock } from '../common/clock';
import { DAY_MS, MINUTE_MS } from '../common/time';
import { type Transaction, WriteExecutor } from '../database/writes/transactions';
import { Job } from '../jobs/job.decorator';
import { RequestError } from '../common/errors';

/** An account's use of a quota in the current window. No foreign key: it would lock the account's row. */
@Entity('quota_counts')
export class QuotaCount {
  @PrimaryColumn({ type: 'int' })
  account_id: number;

  /** See `Quota`. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  name: string;

  /** When the window started, in milliseconds since 1970. */
  @Column({ type: 'bigint' })
  started: number;

  @Column({ type: 'int' })
  number: number;
}

/** How often an account may do something. */
export interface Quota {
  /** Used in the database and in headers; up to 64 characters. */
  name: string;
  limit: number;
  window: keyof typeof QUOTA_WINDOWS;
}

/** A minute starts at the first use, a day at midnight UTC. */
const QUOTA_WINDOWS = {
  minute: { ms: MINUTE_MS, startAt: (now: number) => now },
  day: { ms: DAY_MS, startAt: (now: number) => now - (now % DAY_MS) },
} as const;

/** Counts each account's uses of a quota per time window, across processes. They are counted in the write's own transaction: a failed write doesn't count. */
@Injectable()
export class Quotas {
  constructor(
    private readonly executor: WriteExecutor,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Counts one use. @throws RequestError 429 */
  async consume(transaction: Transaction, accountId: number, quota: Quota): Promise<void> {
    const { granted, resetSeconds } = await this.count(transaction, accountId, quota, 1, this.clock.now());
    if (granted === 1) return;
    const detail = `An account may do this at most ${quota.limit} times a ${quota.window}.`;
    throw quotaExceeded(detail, resetSeconds, quotaHeaders(quota, 0, resetSeconds));
  }

  /** Counts as many of `wanted` uses as the limit allows, and returns that number. */
  async consumeUpTo(transaction: Transaction, accountId: number, quota: Quota, wanted: number, now: number): Promise<number> {
    return (await this.count(transaction, accountId, quota, wanted, now)).granted;
  }

  /** How many uses are left, and when the window ends, in milliseconds since 1970. */
  async findRemaining(accountId: number, { name, limit, window }: Quota): Promise<{ remaining: number; end: number }> {
    const now = this.clock.now();
    const row = await this.dataSource.getRepository(QuotaCount).findOneBy({ account_id: accountId, name });
    const { started, number } = currentWindow(row, window, now);
    return { remaining: Math.max(0, limit - number), end: started + QUOTA_WINDOWS[window].ms };
  }

  /** Undoes the counting of one use at `time`, in milliseconds since 1970. */
  async undoUse(transaction: Transaction, accountId: number, { name, window }: Quota, time: number): Promise<void> {
    await this.query(transaction)
      .update()
      .set({ number: () => 'number - 1' })
      .where({ account_id: accountId, name, started: QUOTA_WINDOWS[window].startAt(time) })
      .execute();
  }

  @Job({ name: 'quota-counts', everyMs: DAY_MS })
  async deleteExpired(): Promise<void> {
    const cutoff = this.clock.now() - DAY_MS; // the longest window
    await this.executor.run(({ manager }) => manager.delete(QuotaCount, { started: LessThanOrEqual(cutoff) }));
  }

  private async count(transaction: Transaction, accountId: number, { name, limit, window }: Quota, wanted: number, now: number) {
    const { ms, startAt } = QUOTA_WINDOWS[window];
    const key = { account_id: accountId, name };
    // Locks the row, inserting it if necessary. INSERT IGNORE would take a shared lock on an existing row, and two transactions would deadlock.
    const upsert = this.query(transaction)
      .insert()
      .values({ ...key, started: startAt(now), number: 0 });
    await upsert.orUpdate(['name'], ['account_id', 'name']).execute();
    const row = await this.query(transaction).where(key).getOneOrFail();
    const { started, number } = currentWindow(row, window, now);
    const granted = Math.min(wanted, Math.max(0, limit - number)); // refused uses don't count: the limit may be raised
    await this.query(transaction)
      .update()
      .set({ started, number: number + granted })
      .where(key)
      .execute();
    return { granted, resetSeconds: Math.ceil(Math.min(started + ms - now, ms) / 1_000) };
  }

  /** Skips TypeORM's listeners, which would count each use as a list change. */
  private query({ manager }: Transaction) {
    return manager.createQueryBuilder(QuotaCount, 'quota').callListeners(false);
  }
}

/** The current window and its count: a new window if there is no row, or the row's window is over. */
function currentWindow(row: QuotaCount | null, window: Quota['window'], now: number): Pick<QuotaCount, 'started' | 'number'> {
  const { ms, startAt } = QUOTA_WINDOWS[window];
  const started = Number(row?.started ?? -Infinity); // mysql2 returns an entity's bigint as a string
  return row && started > now - ms ? { started, number: row.number } : { started: startAt(now), number: 0 };
}

/** Headers of draft-ietf-httpapi-ratelimit-headers-10. */
export function quotaHeaders({ name, limit, window }: Quota, remaining: number, resetSeconds: number): Record<string, string> {
  return {
    'RateLimit-Policy': `"${name}";q=${limit};w=${QUOTA_WINDOWS[window].ms / 1_000}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}

export function quotaExceeded(detail: string, resetSeconds: number, headers: Record<string, string> = {}): RequestError {
  return RequestError.of('rate_limited', detail, undefined, { 'Retry-After': String(resetSeconds), ...headers });
}
