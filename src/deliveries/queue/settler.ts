import { Injectable } from '@nestjs/common';
import { timestamp } from '../../common/time';
import { Config } from '../../config/config';
import { Dialect, type SqlExecutor, type Value } from '../../database/dialect';
import { byService, logAll, type LoggedEvent } from '../../database/events/audit';
import { inList, insertRows } from '../../database/value-lists';
import { Quotas } from '../../quotas/quotas';
import type { Outcome } from '../channels/channel';
import type { DeliveryStatus } from '../delivery.entity';
import { cancelDeliveries, deliveryEvent } from '../delivery-events';
import { type Claim, dailyQuota, type Ended, isEnded, nextStateOf, type Settlement } from './claim';
import { type Lane, noteEnding } from './lane';

const RELEASED = 'lease = NULL, begun = NULL, last_datetime = ?';
const FINISH = `UPDATE deliveries SET status = ?, outcome = ?, tries = tries + 1, next_attempt = NULL, ${RELEASED} WHERE id IN`;
const POSTPONE = `UPDATE deliveries SET outcome = ?, tries = tries + 1, next_attempt = ?, ${RELEASED} WHERE id = ?`;
const GIVE_BACK = `UPDATE deliveries SET attempts = attempts - 1, ${RELEASED} WHERE id IN`;
const ATTEMPT_COLUMNS = ['account_id', 'delivery_id', 'number', 'datetime', 'duration_ms', 'outcome', 'status', 'detail'];
/** Other deliveries of a handler cancelled at once; the rest follow with later claims. */
const MAX_CANCELLED = 500;
/** Only those due when the attempt was claimed: later ones may date from after the handler was enabled again. */
const FIND_OF_HANDLER = `SELECT id FROM deliveries
  WHERE lane = ? AND lease IS NULL AND next_attempt >= 0 AND next_attempt <= ? AND handler_id = ? ORDER BY next_attempt LIMIT ${MAX_CANCELLED}`;

/** Writes how claims ended. */
@Injectable()
export class Settler {
  constructor(
    private readonly config: Config,
    private readonly quotas: Quotas,
    private readonly dialect: Dialect,
  ) {}

  /**
   * Returns the deliveries that have failed for good. Requires locked lanes, and changes them in place. Ignores a claim that has lost its
   * lease: another process attempts the delivery.
   */
  async settle(
    statements: SqlExecutor,
    settlements: readonly Settlement[],
    lanes: readonly Lane[],
    now: number,
  ): Promise<Settlement<Ended>[]> {
    const held = await findHeld(statements, settlements);
    const byName = new Map(lanes.map((lane) => [lane.name, lane]));
    for (const { claim, ending } of held) {
      const lane = byName.get(claim.lane);
      if (lane) noteEnding(lane, ending);
    }
    const time = timestamp(new Date(now));
    const failures = await this.writeAttempts(statements, held, time);
    const withdrawn = held.filter(({ ending }) => !isEnded(ending)).map(({ claim }) => claim.id);
    await writeIn(statements, GIVE_BACK, [time], withdrawn);
    for (const { claim, ending } of held) if (ending === 'cancelled') await this.cancel(statements, claim, time);
    return failures;
  }

  private async writeAttempts(statements: SqlExecutor, held: readonly Settlement[], time: string): Promise<Settlement<Ended>[]> {
    const failures: Settlement<Ended>[] = [];
    const events: LoggedEvent[] = [];
    const finished = new Map<string, { status: DeliveryStatus; outcome: Outcome; ids: number[] }>();
    const attempts = [];
    for (const { claim, ending } of held) {
      if (!isEnded(ending)) continue;
      const { status, nextAttempt } = nextStateOf(claim, ending, this.config.deliveries);
      if (status === 'failed') failures.push({ claim, ending });
      const { outcome } = ending.verdict;
      if (nextAttempt === null && claim.eventId === null) {
        const action = status === 'failed' ? 'fail' : 'deliver';
        events.push({ ...deliveryEvent(action, { ...claim, outcome }), by: byService(claim.accountId) });
      }
      const alike = finished.get(`${status} ${outcome}`) ?? { status, outcome, ids: [] };
      if (nextAttempt === null) finished.set(`${status} ${outcome}`, { ...alike, ids: [...alike.ids, claim.id] });
      else await statements.write(POSTPONE, [outcome, nextAttempt, time, claim.id]);
      attempts.push(attemptRow(claim, ending));
    }
    for (const { status, outcome, ids } of finished.values()) await writeIn(statements, FINISH, [status, outcome, time], ids);
    await insertRows(statements, 'delivery_attempts', ATTEMPT_COLUMNS, attempts);
    await logAll(statements, events);
    return failures;
  }

  private async cancel(statements: SqlExecutor, claim: Claim, time: string): Promise<void> {
    const { id, accountId, handlerId, type, lane, number, started, isOverLimit } = claim;
    const quota = dailyQuota(this.config, type);
    if (quota && number === 1 && !isOverLimit) await this.quotas.giveBack(statements, accountId, quota, started);
    const others = await statements.read<[id: number]>(FIND_OF_HANDLER, [lane, started, handlerId]);
    await cancelDeliveries(this.dialect, statements, byService(accountId), { ids: [id, ...others.flat()], time });
  }
}

async function findHeld(statements: SqlExecutor, settlements: readonly Settlement[]): Promise<Settlement[]> {
  if (settlements.length === 0) return [];
  const { sql, values } = inList(settlements.map(({ claim }) => claim.id));
  const leases = new Map(await statements.read<[id: number, lease: string]>(`SELECT id, lease FROM deliveries WHERE id IN ${sql}`, values));
  return settlements.filter(({ claim }) => leases.get(claim.id) === claim.lease);
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
