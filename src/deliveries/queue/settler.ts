import { Injectable } from '@nestjs/common';
import { timestamp } from '../../common/time';
import { Config } from '../../config/config';
import type { SqlExecutor, Value } from '../../database/dialect';
import { inList, insertRows } from '../../database/value-lists';
import { Quotas } from '../../quotas/quotas';
import type { DeliveryStatus } from '../delivery.entity';
import type { Failure } from '../failure-log';
import { type Claim, dailyQuota, type Ended, isEnded, type Settlement } from './claim';
import type { Lane } from './lane';
import { nextStateOf, noteEnding } from './next-state';

const RELEASED = 'lease = NULL, begun = NULL, last_datetime = ?';
const FINISH = `UPDATE deliveries SET status = ?, tries = tries + 1, next_attempt = NULL, ${RELEASED} WHERE id IN`;
const POSTPONE = `UPDATE deliveries SET tries = tries + 1, next_attempt = ?, ${RELEASED} WHERE id = ?`;
const GIVE_BACK = `UPDATE deliveries SET attempts = attempts - 1, ${RELEASED} WHERE id IN`;
const CANCEL = "UPDATE deliveries SET status = 'cancelled', next_attempt = NULL, last_datetime = ? WHERE lease IS NULL AND id IN";
const ATTEMPT_COLUMNS = ['account_id', 'delivery_id', 'number', 'datetime', 'duration_ms', 'outcome', 'status', 'detail'];
/** The others of a handler that are cancelled at once; more follow with the next claims. */
const MAX_CANCELLED = 500;
const FIND_OF_HANDLER = `SELECT id FROM deliveries
  WHERE lane = ? AND lease IS NULL AND next_attempt >= 0 AND next_attempt <= ? AND handler_id = ? ORDER BY next_attempt LIMIT ${MAX_CANCELLED}`;

/** Writes how claims ended. */
@Injectable()
export class Settler {
  constructor(
    private readonly config: Config,
    private readonly quotas: Quotas,
  ) {}

  /**
   * Returns the deliveries that have failed. `lanes` are locked, and changed in place. Ignores a claim whose lease is lost: another
   * process attempts the delivery.
   */
  async apply(
    statements: SqlExecutor,
    settlements: readonly Settlement[],
    lanes: ReadonlyMap<string, Lane>,
    now: number,
  ): Promise<Failure[]> {
    const held = await findHeld(statements, settlements);
    for (const { claim, ending } of held) {
      const lane = lanes.get(claim.lane);
      if (lane) noteEnding(lane, ending);
    }
    const time = timestamp(new Date(now));
    const failures = await this.writeAttempts(statements, held, time);
    const withdrawn = held.filter(({ ending }) => !isEnded(ending));
    const ids = withdrawn.map(({ claim }) => claim.id);
    await writeIn(statements, GIVE_BACK, [time], ids);
    for (const { claim } of withdrawn.filter(({ ending }) => ending === 'cancelled')) await this.cancel(statements, claim, time);
    return failures;
  }

  private async cancel(statements: SqlExecutor, claim: Claim, time: string): Promise<void> {
    const { accountId, type, number, started, isOverLimit } = claim;
    const quota = dailyQuota(this.config, type);
    if (quota && number === 1 && !isOverLimit) await this.quotas.giveBack(statements, accountId, quota, started);
    await cancelHandler(statements, claim, time);
  }

  private async writeAttempts(statements: SqlExecutor, held: readonly Settlement[], time: string): Promise<Failure[]> {
    const failures: Failure[] = [];
    const finished = new Map<DeliveryStatus, number[]>();
    const attempts = [];
    for (const { claim, ending } of held) {
      if (!isEnded(ending)) continue;
      const { status, nextAttempt } = nextStateOf(claim, ending, this.config.deliveries.waitsMs);
      if (status === 'failed') failures.push({ claim, ending });
      if (nextAttempt === null) finished.set(status, [...(finished.get(status) ?? []), claim.id]);
      else await statements.write(POSTPONE, [nextAttempt, time, claim.id]);
      attempts.push(attemptRow(claim, ending));
    }
    for (const [status, ids] of finished) await writeIn(statements, FINISH, [status, time], ids);
    await insertRows(statements, 'delivery_attempts', ATTEMPT_COLUMNS, attempts);
    return failures;
  }
}

async function findHeld(statements: SqlExecutor, settlements: readonly Settlement[]): Promise<Settlement[]> {
  if (settlements.length === 0) return [];
  const { sql, values } = inList(settlements.map(({ claim }) => claim.id));
  const leases = new Map(await statements.read<[id: number, lease: string]>(`SELECT id, lease FROM deliveries WHERE id IN ${sql}`, values));
  return settlements.filter(({ claim }) => leases.get(claim.id) === claim.lease);
}

/** With those that were due when the handler was read: later ones may have been made since it was enabled again. */
async function cancelHandler(statements: SqlExecutor, { id, lane, handlerId, started }: Claim, time: string): Promise<void> {
  const others = await statements.read(FIND_OF_HANDLER, [lane, started, handlerId]);
  await writeIn(statements, CANCEL, [time], [id, ...others.map(([other]) => Number(other))]);
}

async function writeIn(statements: SqlExecutor, sql: string, values: Value[], ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  const list = inList(ids);
  await statements.write(`${sql} ${list.sql}`, [...values, ...list.values]);
}

function attemptRow({ accountId, id, number, started }: Claim, { verdict, durationMs }: Ended) {
  const { outcome, status, detail } = verdict;
  return [accountId, id, number, timestamp(new Date(started)), durationMs, outcome, status, detail];
}
