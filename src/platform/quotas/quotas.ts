import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { DAY_MS, MINUTE_MS } from '../common/time';
import { Dialect, type SqlExecutor } from '../database/dialect';
import { WriteExecutor } from '../database/writes/transactions';
import { Job } from '../jobs/job.decorator';
import { RequestError } from '../http/request-error';
import { Column, Entity, PrimaryColumn } from 'typeorm';

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
  window: keyof typeof WINDOWS;
}

/** A minute starts at the first use, a day at midnight UTC. */
const WINDOWS = {
  minute: { ms: MINUTE_MS, startAt: (now: number) => now },
  day: { ms: DAY_MS, startAt: (now: number) => now - (now % DAY_MS) },
} as const;

/** Other machines may have started a window a little later than `now`; beyond this, the clock was set back. */
const MAX_AHEAD_MS = MINUTE_MS;
const INSERT = 'INSERT INTO quota_counts (account_id, name, started, number) VALUES (?, ?, ?, ?)';
const IS_OVER = 'started <= ? OR started > ?';
/** The order matters: in MySQL, later assignments see the values already set. */
const ADD = `number = CASE WHEN ${IS_OVER} THEN ? ELSE number + ? END, started = CASE WHEN ${IS_OVER} THEN ? ELSE started END`;
const FIND = 'SELECT started, number FROM quota_counts WHERE account_id = ? AND name = ?';
const GIVE_BACK = 'UPDATE quota_counts SET number = number - ? WHERE account_id = ? AND name = ? AND started = ?';

/** Counts what accounts do, across processes, in the transaction that does it: a failed write doesn't count. */
@Injectable()
export class Quotas {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Counts one use. @throws RequestError 429 */
  async require(statements: SqlExecutor, accountId: number, quota: Quota): Promise<void> {
    const { granted, resetSeconds } = await this.count(statements, accountId, quota, 1, this.clock.now());
    if (granted === 1) return;
    const detail = `An account may do this at most ${quota.limit} times a ${quota.window}.`;
    throw quotaExceeded(detail, resetSeconds, quotaHeaders(quota, 0, resetSeconds));
  }

  /** Counts as many of `wanted` uses as the limit allows, and returns that number. */
  async take(statements: SqlExecutor, accountId: number, quota: Quota, wanted: number, now: number): Promise<number> {
    return (await this.count(statements, accountId, quota, wanted, now)).granted;
  }

  /** Gives back one use counted at `time`. */
  async giveBack(statements: SqlExecutor, accountId: number, { name, window }: Quota, time: number): Promise<void> {
    await statements.write(GIVE_BACK, [1, accountId, name, WINDOWS[window].startAt(time)]);
  }

  @Job({ name: 'quota-counts', everyMs: DAY_MS })
  async deleteOld(): Promise<void> {
    const before = this.clock.now() - DAY_MS; // the longest window
    await this.executor.run((statements) => statements.write('DELETE FROM quota_counts WHERE started <= ?', [before]));
  }

  private async count(statements: SqlExecutor, accountId: number, { name, limit, window }: Quota, wanted: number, now: number) {
    const { ms, startAt } = WINDOWS[window];
    const isOver = [now - ms, now + MAX_AHEAD_MS];
    const added = [...isOver, wanted, wanted, ...isOver, startAt(now)];
    const upsert = `${INSERT} ${this.dialect.sql.upsertPrefix('account_id, name')} ${ADD}`;
    await statements.write(upsert, [accountId, name, startAt(now), wanted, ...added]); // also locks the row
    const [[started, number]] = await statements.read<[started: number, number: number]>(FIND, [accountId, name]);
    const left = Math.min(started + ms - now, ms);
    const granted = Math.min(wanted, Math.max(0, limit - (number - wanted)));
    // Refused uses don't count: the limit may be raised, or a granted use given back.
    if (granted < wanted) await statements.write(GIVE_BACK, [wanted - granted, accountId, name, started]);
    return { granted, resetSeconds: Math.ceil(left / 1_000) };
  }
}

/** Headers of draft-ietf-httpapi-ratelimit-headers-10. */
export function quotaHeaders({ name, limit, window }: Quota, remaining: number, resetSeconds: number): Record<string, string> {
  return {
    'RateLimit-Policy': `"${name}";q=${limit};w=${WINDOWS[window].ms / 1_000}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}

export function quotaExceeded(detail: string, resetSeconds: number, headers: Record<string, string> = {}): RequestError {
  return RequestError.of('rate_limited', detail, undefined, { 'Retry-After': String(resetSeconds), ...headers });
}
