import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { notBeyond, timestamp } from '../../common/time';
import { Config } from '../../config/config';
import type { SqlExecutor } from '../../database/dialect';
import { inList } from '../../database/value-lists';
import { Quotas } from '../../quotas/quotas';
import { dailyQuota, type Ended, LEASE_MS, maxWaitOf, noAnswer, type Pending, type Settlement, type SlotClaim } from './claim';
import { capacityOf, type Lane, MAX_IN_FLIGHT, openFrom, roomIn, slotUseOf } from './lane';
import type { Slots, SlotUse } from './slots';

type Taken = Pending & { use: SlotUse };
type Lanes = ReadonlyMap<string, Lane>;

/** Per statement: SQLite limits the terms of a compound SELECT to 500. */
const LANES = 64;
const COUNT_LEASED = "SELECT lane, COUNT(*), MIN(begun), MAX(begun) FROM deliveries WHERE lease > '' AND lane IN";
const RESTART_LEASES = "UPDATE deliveries SET begun = ? WHERE lease > '' AND begun > ? AND lane IN";
const COLUMNS = 'id, account_id, message_id, handler_id, type, part, event_id, lane, attempts, tries';
const FIND_LAPSED = `SELECT ${COLUMNS}, lease, begun FROM deliveries WHERE lease > '' AND begun <= ? AND lane IN`;
const FIND_WAITING = `SELECT * FROM (SELECT ${COLUMNS}, next_attempt, send_at, is_counted FROM deliveries
  WHERE lane = ? AND lease IS NULL AND next_attempt >= 0 AND (expires_at IS NULL OR expires_at > ?) ORDER BY next_attempt LIMIT ?) waiting`;
const CLAIM = `UPDATE deliveries SET lease = ?, begun = ?, attempts = attempts + 1, is_counted = 1, last_datetime = ?
  WHERE lease IS NULL AND next_attempt >= 0 AND id IN`;
const FIND_CLAIMED = 'SELECT id FROM deliveries WHERE lease = ? AND id IN';
const UNCOUNT = 'UPDATE deliveries SET is_counted = 0 WHERE id IN';

type Columns = [
  ...[id: number, account: number, message: number, handler: number, type: string],
  ...[part: string | null, eventId: string | null, lane: string, attempts: number, tries: number],
];

/** Reads the pending deliveries of locked lanes, and claims those that are due. */
@Injectable()
export class Claimer {
  private readonly maxWaitMs = maxWaitOf(this.config);
  /** Distinguishes this process's leases from others'. */
  private readonly process = randomBytes(12).toString('hex');
  private cycles = 0;

  constructor(
    private readonly quotas: Quotas,
    private readonly config: Config,
  ) {}

  /** Reads the lanes' deliveries. Returns claims with a lapsed lease, to be settled: their process died, or lost its database. */
  async read(statements: SqlExecutor, lanes: readonly Lane[], now: number): Promise<Settlement<Ended>[]> {
    const lapsed: Settlement<Ended>[] = [];
    for (let start = 0; start < lanes.length; start += LANES) {
      const some = new Map(lanes.slice(start, start + LANES).map((lane) => [lane.name, lane]));
      await this.countLeases(statements, some, now);
      lapsed.push(...(await this.findLapsed(statements, some, now)));
      await this.readWaiting(statements, some, now);
    }
    return lapsed;
  }

  /** Claims round robin, one delivery per lane and round, and sets when each lane is due next. */
  async claim(statements: SqlExecutor, lanes: readonly Lane[], slots: Slots, now: number): Promise<SlotClaim[]> {
    const taken: Taken[] = [];
    for (let round = 0; round < MAX_IN_FLIGHT; round++) {
      for (const lane of lanes) {
        const [next] = lane.waiting;
        const use = slotUseOf(lane);
        if (!isDue(lane, now) || capacityOf(lane, now) === 0 || !slots.tryTake(lane.accountId, use)) continue;
        taken.push({ ...next, use });
        lane.waiting.shift();
        lane.inFlight++;
        lane.oldestLease = Math.min(lane.oldestLease, now);
        lane.lastClaim = now;
      }
    }
    const claims = taken.length > 0 ? await this.write(statements, taken, now) : [];
    const touched = new Set(taken.map(({ lane }) => lane));
    const isWhole = claims.length === taken.length; // otherwise some were cancelled meanwhile, and their lanes have room left
    for (const lane of lanes) {
      const due = isWhole || !touched.has(lane.name) ? dueOf(lane) : now;
      const time = touched.has(lane.name) && due !== null ? Math.max(due, now) : due; // sorts after lanes already due
      lane.available = time === null ? null : Math.min(time, now + this.maxWaitMs);
    }
    return claims;
  }

  private async countLeases(statements: SqlExecutor, lanes: Lanes, now: number): Promise<void> {
    const { sql, values } = inList([...lanes.keys()]);
    type Row = [lane: string, inFlight: number, oldest: number, newest: number];
    const rows = await statements.read<Row>(`${COUNT_LEASED} ${sql} GROUP BY lane`, values);
    for (const lane of lanes.values()) [lane.inFlight, lane.oldestLease] = [0, Infinity];
    for (const [name, inFlight, oldest] of rows)
      Object.assign(lanes.get(name)!, { inFlight, oldestLease: notBeyond(oldest, now, LEASE_MS) });
    // Started while a clock was ahead. They get a full lease, since their attempts may still be in progress.
    if (rows.some(([, , , newest]) => newest > now + LEASE_MS))
      await statements.write(`${RESTART_LEASES} ${sql}`, [now, now + LEASE_MS, ...values]);
  }

  private async findLapsed(statements: SqlExecutor, lanes: Lanes, now: number): Promise<Settlement<Ended>[]> {
    const names = [...lanes.values()].filter(({ oldestLease }) => oldestLease <= now - LEASE_MS).map(({ name }) => name);
    if (names.length === 0) return [];
    const { sql, values } = inList(names);
    const rows = await statements.read<[...Columns, lease: string, started: number]>(`${FIND_LAPSED} ${sql}`, [now - LEASE_MS, ...values]);
    return rows.map(([id, accountId, messageId, handlerId, type, part, eventId, lane, number, tries, lease, started]) => {
      const claim = { id, accountId, messageId, handlerId, type, part, eventId, lane, number, tries, lease, started, isOverLimit: false };
      return { claim, ending: { ...noAnswer(claim, now), hasLapsed: true } };
    });
  }

  private async readWaiting(statements: SqlExecutor, lanes: Lanes, now: number): Promise<void> {
    for (const lane of lanes.values()) lane.waiting = [];
    const names = inList([...lanes.keys()]).values;
    // One more than can be claimed: its due time becomes the lane's.
    const values = names.flatMap((name) => [name, now, capacityOf(lanes.get(String(name))!, now) + 1]);
    const selects = names.map(() => FIND_WAITING).join(' UNION ALL ');
    type Row = [...Columns, nextAttempt: number, sendAt: number | null, isCounted: number];
    const rows = await statements.read<Row>(selects, values);
    const unique = new Map(rows.map((row) => [row[0], row])).values(); // inList() may repeat the last name
    for (const [id, accountId, messageId, handlerId, type, part, eventId, lane, attempts, tries, due, sendAt, isCounted] of unique) {
      const ids = { id, accountId, messageId, handlerId, type, part, eventId };
      const delivery = { ...ids, lane, number: attempts + 1, tries, isCounted: isCounted === 1 };
      const nextAttempt = due === sendAt ? due : notBeyond(due, now, this.maxWaitMs);
      lanes.get(lane)!.waiting.push({ ...delivery, nextAttempt });
    }
  }

  /** Leaves out deliveries that were cancelled or expired after they were read. */
  private async write(statements: SqlExecutor, taken: readonly Taken[], now: number): Promise<SlotClaim[]> {
    const lease = `${this.process}-${(++this.cycles).toString(36)}`;
    const { sql, values } = inList(taken.map(({ id }) => id));
    const { affected } = await statements.write(`${CLAIM} ${sql}`, [lease, now, timestamp(now), ...values]);
    const isWhole = affected === taken.length;
    const claimed = isWhole
      ? undefined
      : new Set((await statements.read<[id: number]>(`${FIND_CLAIMED} ${sql}`, [lease, ...values])).flat());
    const claims = claimed ? taken.filter(({ id }) => claimed.has(id)) : taken;
    const over = await this.findOverLimit(statements, claims, now);
    if (over.size > 0) {
      const list = inList([...over]);
      await statements.write(`${UNCOUNT} ${list.sql}`, list.values);
    }
    return claims.map((delivery) => ({ ...delivery, lease, started: now, isOverLimit: over.has(delivery.id) }));
  }

  /** Counts deliveries toward the daily limit once, in a fixed order, so that transactions can't deadlock. */
  private async findOverLimit(statements: SqlExecutor, taken: readonly Taken[], now: number): Promise<Set<number>> {
    const over = new Set<number>();
    const uncounted = taken.filter(({ type, isCounted }) => !isCounted && dailyQuota(this.config, type));
    const keyOf = ({ accountId, type }: Taken) => `${accountId} ${type}`;
    for (const key of [...new Set(uncounted.map(keyOf))].sort()) {
      const group = uncounted.filter((each) => keyOf(each) === key);
      const [{ accountId, type }] = group;
      const within = await this.quotas.take(statements, accountId, dailyQuota(this.config, type)!, group.length, now);
      for (const { id } of group.slice(within)) over.add(id);
    }
    return over;
  }
}

/** Whether the lane's next delivery is due. */
export function isDue({ waiting: [next] }: Lane, now: number): boolean {
  return next !== undefined && next.nextAttempt <= now;
}

/** When the next delivery can be claimed or a lease ends; without room, when a lease ends. */
function dueOf(lane: Lane): number | null {
  const [next] = lane.waiting;
  const end = lane.oldestLease + LEASE_MS;
  const due = roomIn(lane) > 0 && next ? Math.min(end, Math.max(next.nextAttempt, openFrom(lane))) : end;
  return due === Infinity ? null : due;
}
