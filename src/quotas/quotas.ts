import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { DAY_MS, MINUTE_MS } from '../common/time';
import { Dialect, type SqlExecutor } from '../database/dialect';
import { WriteExecutor } from '../database/writes/transactions';
import { Job } from '../jobs/job.decorator';
import { type Quota, quotaExceeded, quotaHeaders, WINDOWS } from './quota';

/** Other machines may have started a window a little later than `now`; beyond this, the clock was set back. */
const MAX_AHEAD_MS = MINUTE_MS;
const INSERT = 'INSERT INTO quota_counts (account_id, name, started, number) VALUES (?, ?, ?, ?)';
const IS_OVER = 'started <= ? OR started > ?';
/** In this order: MySQL compares with the new value of a column that has been set. */
const ADD = `number = CASE WHEN ${IS_OVER} THEN ? ELSE number + ? END, started = CASE WHEN ${IS_OVER} THEN ? ELSE started END`;
const FIND = 'SELECT started, number FROM quota_counts WHERE account_id = ? AND name = ?';
const GIVE_BACK = 'UPDATE quota_counts SET number = number - 1 WHERE account_id = ? AND name = ? AND started = ?';

/** Counts what accounts do, in the database, for all processes: in the transaction that does it, so that what fails doesn't count. */
@Injectable()
export class Quotas {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Counts one. @throws RequestError 429 */
  async require(statements: SqlExecutor, accountId: number, quota: Quota): Promise<void> {
    const { granted, resetSeconds } = await this.count(statements, accountId, quota, 1, this.clock.now());
    if (granted === 1) return;
    const detail = `An account may do this at most ${quota.limit} times a ${quota.window}.`;
    throw quotaExceeded(detail, resetSeconds, quotaHeaders(quota, 0, resetSeconds));
  }

  /** Counts `wanted` uses, and returns how many of them are within the limit. */
  async take(statements: SqlExecutor, accountId: number, quota: Quota, wanted: number, now: number): Promise<number> {
    return (await this.count(statements, accountId, quota, wanted, now)).granted;
  }

  /** Takes back one that was counted at `time`. */
  async giveBack(statements: SqlExecutor, accountId: number, { name, window }: Quota, time: number): Promise<void> {
    await statements.write(GIVE_BACK, [accountId, name, WINDOWS[window].startAt(time)]);
  }

  @Job({ name: 'quota-counts', everyMs: DAY_MS })
  async deleteOld(): Promise<void> {
    const before = this.clock.now() - DAY_MS; // the longest window
    await this.executor.runWithRetries((statements) => statements.write('DELETE FROM quota_counts WHERE started <= ?', [before]));
  }

  private async count(statements: SqlExecutor, accountId: number, { name, limit, window }: Quota, wanted: number, now: number) {
    const { ms, startAt } = WINDOWS[window];
    const isOver = [now - ms, now + MAX_AHEAD_MS];
    const added = [...isOver, wanted, wanted, ...isOver, startAt(now)];
    const upsert = `${INSERT} ${this.dialect.upsertPrefix('account_id, name')} ${ADD}`;
    await statements.write(upsert, [accountId, name, startAt(now), wanted, ...added]); // also locks the row
    const [[started, number]] = await statements.read<[started: number, number: number]>(FIND, [accountId, name]);
    const left = Math.min(started + ms - now, ms);
    const granted = Math.min(wanted, Math.max(0, limit - (number - wanted)));
    return { granted, resetSeconds: Math.ceil(left / 1_000) };
  }
}
