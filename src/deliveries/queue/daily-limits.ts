import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config';
import { Dialect, type SqlExecutor } from '../../database/dialect';
import { timestamp } from '../../common/time';

const INSERT = 'INSERT INTO delivery_counts (account_id, type, day, number) VALUES (?, ?, ?, ?)';
const GIVE_BACK = 'UPDATE delivery_counts SET number = number - 1 WHERE account_id = ? AND type = ? AND day = ?';
const FIND = 'SELECT number FROM delivery_counts WHERE account_id = ? AND type = ? AND day = ?';

/** Counts deliveries towards DELIVERY_DAILY_LIMIT, in the database, for all processes. */
@Injectable()
export class DailyLimits {
  constructor(
    private readonly dialect: Dialect,
    private readonly config: Config,
  ) {}

  isLimited(type: string): boolean {
    return this.config.deliveries.dailyLimits.has(type);
  }

  /** Counts `wanted` deliveries and returns how many of them are within the limit. */
  async take(statements: SqlExecutor, accountId: number, type: string, wanted: number, now: number): Promise<number> {
    const limit = this.config.deliveries.dailyLimits.get(type) ?? Infinity;
    const key = keyOf(accountId, type, now);
    const upsert = `${INSERT} ${this.dialect.upsertPrefix('account_id, type, day')} number = number + ?`;
    await statements.write(upsert, [...key, wanted, wanted]); // also locks the row
    const [[number]] = await statements.read(FIND, key);
    return Math.min(wanted, Math.max(0, limit - (Number(number) - wanted)));
  }

  /** Takes back one that was counted at `time` and never attempted. */
  async giveBack(statements: SqlExecutor, accountId: number, type: string, time: number): Promise<void> {
    await statements.write(GIVE_BACK, keyOf(accountId, type, time));
  }
}

function keyOf(accountId: number, type: string, time: number) {
  return [accountId, type, timestamp(new Date(time)).slice(0, 10)];
}
