import { Injectable } from '@nestjs/common';
import { Dialect, type SqlExecutor } from '../dialect';

const MINUTE_MS = 60_000;
/** Concurrent requests, or other machines, may have started a minute a little later than `now`; beyond this, the clock was set back. */
const MAX_AHEAD_MS = 60_000;
const INSERT = 'INSERT INTO minute_limits (account_id, action, started, number) VALUES (?, ?, ?, 0)';
const FIND = 'SELECT started, number FROM minute_limits WHERE account_id = ? AND action = ?';
const UPDATE = 'UPDATE minute_limits SET started = ?, number = ? WHERE account_id = ? AND action = ?';

/** An account has done something too often. */
export class MinuteLimitExceeded extends Error {
  constructor(
    readonly action: string,
    readonly limit: number,
    readonly retryAfterSeconds: number,
  ) {
    super(`An account may do this at most ${limit} times a minute.`);
  }
}

/** Fixed one-minute windows per account, counted in the database for all processes. A window starts with its first request. */
@Injectable()
export class MinuteLimits {
  constructor(private readonly dialect: Dialect) {}

  /** @throws MinuteLimitExceeded */
  async count(statements: SqlExecutor, accountId: number, action: string, limit: number, now: number): Promise<void> {
    const key = [accountId, action];
    await statements.write(`${INSERT} ${this.dialect.upsertPrefix('account_id, action')} number = number + 0`, [...key, now]); // locks the row
    const [[started, number]] = (await statements.read(FIND, key)) as [[number, number]];
    const left = Number(started) + MINUTE_MS - now;
    const isNew = left <= 0 || left > MAX_AHEAD_MS + MINUTE_MS;
    if (!isNew && number >= limit) throw new MinuteLimitExceeded(action, limit, Math.ceil(Math.min(left, MINUTE_MS) / 1_000));
    await statements.write(UPDATE, [isNew ? now : started, isNew ? 1 : number + 1, ...key]);
  }
}
