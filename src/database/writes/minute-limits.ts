import { Injectable } from '@nestjs/common';
import { Dialect, type SqlExecutor } from '../dialect';

const MINUTE_MS = 60_000;
const INSERT = 'INSERT INTO minute_limits (account_id, action, started, number) VALUES (?, ?, ?, 0)';
const FIND = 'SELECT started, number FROM minute_limits WHERE account_id = ? AND action = ?';
const UPDATE = 'UPDATE minute_limits SET started = ?, number = ? WHERE account_id = ? AND action = ?';

/** An account has done something too often. */
export class MinuteLimitExceeded extends Error {
  constructor(
    limit: number,
    readonly retryAfterSeconds: number,
  ) {
    super(`An account may do this ${limit} times a minute.`);
  }
}

/** Limits what one request of an account causes elsewhere, in the database, for all processes. The minute begins with the first. */
@Injectable()
export class MinuteLimits {
  constructor(private readonly dialect: Dialect) {}

  /** @throws MinuteLimitExceeded */
  async count(statements: SqlExecutor, accountId: number, action: string, limit: number, now: number): Promise<void> {
    const key = [accountId, action];
    await statements.write(`${INSERT} ${this.dialect.upsertPrefix('account_id, action')} number = number + 0`, [...key, now]); // locks the row
    const [[started, number]] = (await statements.read(FIND, key)) as [[number, number]];
    const left = Number(started) + MINUTE_MS - now;
    if (left > 0 && left <= MINUTE_MS && number >= limit) throw new MinuteLimitExceeded(limit, Math.ceil(left / 1_000));
    const isNew = left <= 0 || left > MINUTE_MS; // later than a minute: the clock was set back
    await statements.write(UPDATE, [isNew ? now : started, isNew ? 1 : number + 1, ...key]);
  }
}
