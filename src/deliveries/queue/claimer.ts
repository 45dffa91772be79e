import { Injectable } from '@nestjs/common';
import { timestamp } from '../../common/time';
import type { RowValues, SqlExecutor } from '../../database/dialect';
import { inList } from '../../database/value-lists';
import { type Claim, LEASE_MS } from './claim';
import { DailyLimits } from './daily-limits';
import type { FairShare } from './fair-share';
import { capacityOf, type Lane, MAX_IN_FLIGHT, openFrom, placesOf } from './lane';

/** A pending delivery, as a claim finds it. */
export interface Pending extends Omit<Claim, 'lease' | 'begun' | 'isOverLimit'> {
  nextAttempt: number;
  lease: string | null;
  begun: number | null;
  isCounted: boolean;
}

/** What a lane has pending. */
export interface LanePending {
  lane: Lane;
  /** When the attempts under a lease began. */
  begun: number[];
  /** Those whose lease has ended. */
  lapsed: Pending[];
  /** The first of those without a lease, by due time. */
  waiting: Pending[];
}

const COLUMNS = 'id, account_id, message_id, handler_id, type, lane, attempts, tries, next_attempt, lease, begun, is_counted';
const [LANE, BEGUN] = ['lane', 'begun'].map((name) => COLUMNS.split(', ').indexOf(name));
/** One more than can be claimed: the next one's due time is the lane's. */
const WAITING = MAX_IN_FLIGHT + 1;
/** Per statement: SQLite limits the terms of a compound SELECT to 500. */
const LANES = 64;
const FIND_WAITING = `SELECT * FROM
  (SELECT ${COLUMNS} FROM deliveries WHERE lane = ? AND lease IS NULL AND next_attempt >= 0 ORDER BY next_attempt LIMIT ${WAITING}) waiting`;
const FIND_LEASED = `SELECT ${COLUMNS} FROM deliveries WHERE lease > '' AND lane IN`;
const CLAIM = 'UPDATE deliveries SET lease = ?, begun = ?, attempts = attempts + 1, is_counted = 1, last_datetime = ? WHERE id IN';
const UNCOUNT = 'UPDATE deliveries SET is_counted = 0 WHERE id IN';

/** Claims due deliveries in locked lanes. */
@Injectable()
export class Claimer {
  constructor(private readonly limits: DailyLimits) {}

  async read(statements: SqlExecutor, lanes: readonly Lane[], now: number): Promise<LanePending[]> {
    const found: LanePending[] = [];
    for (let start = 0; start < lanes.length; start += LANES)
      found.push(...(await this.readSome(statements, lanes.slice(start, start + LANES), now)));
    return found;
  }

  private async readSome(statements: SqlExecutor, lanes: readonly Lane[], now: number): Promise<LanePending[]> {
    const { sql, values: names } = inList(lanes.map(({ name }) => name));
    const pending = new Map<string, LanePending>(lanes.map((lane) => [lane.name, { lane, begun: [], lapsed: [], waiting: [] }]));
    for (const lane of lanes) lane.inFlight = 0;
    for (const row of await statements.read(`${FIND_LEASED} ${sql}`, names)) {
      const { lane, begun, lapsed } = pending.get(String(row[LANE]))!;
      lane.inFlight = begun.push(Number(row[BEGUN]));
      if (Number(row[BEGUN]) + LEASE_MS <= now) lapsed.push(toPending(row));
    }
    const waiting = await statements.read(names.map(() => FIND_WAITING).join(' UNION ALL '), names);
    for (const delivery of new Map(waiting.map((row) => [row[0], toPending(row)])).values()) {
      pending.get(delivery.lane)!.waiting.push(delivery); // once, although the names may repeat the last one
    }
    return [...pending.values()];
  }

  /** Claims round robin, one delivery per lane and round, and sets when each lane is due next. */
  async take(statements: SqlExecutor, lanes: readonly LanePending[], share: FairShare, lease: string, now: number): Promise<Claim[]> {
    const taken = lanes.map(() => [] as Pending[]);
    for (let round = 0; round < MAX_IN_FLIGHT; round++) {
      for (const [index, { lane, waiting }] of lanes.entries()) {
        const next = waiting[round];
        if (taken[index].length < round || !next || next.nextAttempt > now || capacityOf(lane, now) === 0) continue;
        if (!share.tryTake(lane)) continue;
        taken[index].push(next);
        lane.inFlight++;
        lane.lastClaim = now;
      }
    }
    for (const [index, { lane, begun, waiting }] of lanes.entries()) {
      lane.available = dueOf(lane, [...begun, ...taken[index].map(() => now)], waiting[taken[index].length]);
    }
    return this.write(statements, taken.flat(), lease, now);
  }

  private async write(statements: SqlExecutor, pending: readonly Pending[], lease: string, now: number): Promise<Claim[]> {
    if (pending.length === 0) return [];
    const over = await this.findOverLimit(statements, pending, now);
    const { sql, values } = inList(pending.map(({ id }) => id));
    await statements.write(`${CLAIM} ${sql}`, [lease, now, timestamp(new Date(now)), ...values]);
    if (over.size > 0) {
      const list = inList([...over]);
      await statements.write(`${UNCOUNT} ${list.sql}`, list.values);
    }
    return pending.map(({ nextAttempt: _, isCounted: __, ...claim }) => ({ ...claim, lease, begun: now, isOverLimit: over.has(claim.id) }));
  }

  private async findOverLimit(statements: SqlExecutor, pending: readonly Pending[], now: number): Promise<Set<number>> {
    const over = new Set<number>();
    const uncounted = pending.filter(({ type, isCounted }) => !isCounted && this.limits.isLimited(type));
    const keys = new Set(uncounted.map(keyOf));
    for (const key of [...keys].sort()) {
      const group = uncounted.filter((each) => keyOf(each) === key);
      const [{ accountId, type }] = group;
      const within = await this.limits.take(statements, accountId, type, group.length, now);
      for (const { id } of group.slice(within)) over.add(id);
    }
    return over;
  }
}

function keyOf({ accountId, type }: Pending): string {
  return `${accountId} ${type}`;
}

/** With a free place, when the next delivery is due or a lease ends; otherwise, when a lease ends. */
function dueOf(lane: Lane, begun: readonly number[], next?: Pending): number | null {
  const ends = begun.map((time) => time + LEASE_MS);
  const times = placesOf(lane) > 0 && next ? [...ends, Math.max(next.nextAttempt, openFrom(lane))] : ends;
  return times.length > 0 ? Math.min(...times) : null;
}

function toPending([id, account, message, handler, type, lane, attempts, tries, nextAttempt, lease, begun, isCounted]: RowValues): Pending {
  return {
    ...{ id: Number(id), accountId: Number(account), messageId: Number(message), handlerId: Number(handler) },
    ...{
      type: String(type),
      lane: String(lane),
      number: Number(attempts) + (lease === null ? 1 : 0),
      tries: Number(tries),
      nextAttempt: Number(nextAttempt),
    },
    ...{ lease: lease === null ? null : String(lease), begun: begun === null ? null : Number(begun), isCounted: Number(isCounted) === 1 },
  };
}
