import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { timestamp } from '../../platform/common/time';
import { Config } from '../../platform/config/config';
import { Dialect, type SqlExecutor } from '../../platform/database/dialect';
import { inList } from '../../platform/database/value-lists';
import type { Transaction } from '../../platform/database/writes/transactions';
import type { Outcome } from '../channels/channel';
import { Quotas } from '../../platform/quotas/quotas';
import { type Claim, LEASE_MS, type Pending, type SlotClaim } from './claim';
import type { Until } from '../delivery.entity';
import { dailyQuota } from './delivery-limits';
import { capacityOf, type Lane, MAX_IN_FLIGHT, nextClaimTime, freeAttempts, slotUseOf } from './lane';
import type { Slots, SlotUse } from './slots';

type PendingInSlot = Pending & { use: SlotUse };

/** Lanes per statement: SQLite limits the terms of a compound SELECT to 500. */
const LANES_PER_QUERY = 64;
const COLUMNS = 'id, account_id, message_id, handler_id, type, part, event_id, until, lane, outcome, attempts, tries';
const FIND_LEASED = `SELECT lease, started, has_content, ${COLUMNS} FROM deliveries WHERE lease > '' AND lane IN`;
const FIND_PENDING = `SELECT next_attempt, is_counted, ${COLUMNS} FROM deliveries
  WHERE lane = ? AND lease IS NULL AND next_attempt >= 0 AND (expires_at IS NULL OR expires_at > ?) ORDER BY next_attempt LIMIT ?`;
const CLAIM = `UPDATE deliveries SET lease = ?, started = ?, has_content = 0, attempts = attempts + 1, is_counted = 1, last_datetime = ?
  WHERE lease IS NULL AND next_attempt >= 0 AND id IN`;
const FIND_CLAIMED = 'SELECT id FROM deliveries WHERE lease = ? AND id IN';
const RENEW = 'UPDATE deliveries SET started = ? WHERE';
const NOTE_CONTENT = 'UPDATE deliveries SET has_content = 1, started = ? WHERE id = ? AND lease = ?';
const MARK_UNCOUNTED = 'UPDATE deliveries SET is_counted = 0 WHERE id IN';

type Columns = [
  id: number,
  account: number,
  message: number,
  handler: number,
  type: string,
  part: string,
  eventId: string | null,
  until: Until | null,
  lane: string,
  outcome: Outcome | null,
  attempts: number,
  tries: number,
];

/** Reads the pending deliveries of locked lanes, and claims those that are due. */
@Injectable()
export class Claimer {
  private readonly findWaiting = this.dialect.sql.wrapForUnion(FIND_PENDING);
  /** Distinguishes this process's leases from others'. */
  private readonly process = randomBytes(12).toString('hex');
  private cycles = 0;

  constructor(
    private readonly quotas: Quotas,
    private readonly dialect: Dialect,
    private readonly config: Config,
  ) {}

  /** The claims on these lanes, of any process. */
  async findLeased(statements: SqlExecutor, lanes: readonly string[]): Promise<Claim[]> {
    const { sql, values } = inList(lanes);
    const rows = await statements.read<[lease: string, started: number, hasContent: number, ...Columns]>(`${FIND_LEASED} ${sql}`, values);
    return rows.map(([lease, started, hasContent, ...columns]) => {
      return { ...toDelivery(columns), lease, started, hasContent: hasContent === 1, isOverLimit: false };
    });
  }

  /** Sets each lane's `inFlight` and `oldestLease` from these claims, and reads its first waiting deliveries. */
  async fillLanes(statements: SqlExecutor, lanes: readonly Lane[], leased: readonly Claim[], now: number): Promise<void> {
    const byName = new Map(lanes.map((lane) => [lane.name, Object.assign(lane, { inFlight: 0, oldestLease: Infinity, waiting: [] })]));
    for (const { lane: name, started } of leased) {
      const lane = byName.get(name);
      if (!lane) continue;
      lane.inFlight++;
      lane.oldestLease = Math.min(lane.oldestLease, started);
    }
    const names = [...byName.keys()];
    for (let start = 0; start < names.length; start += LANES_PER_QUERY)
      await this.readWaiting(statements, names.slice(start, start + LANES_PER_QUERY), byName, now);
  }

  /** Claims round robin, one delivery per lane and round, and sets when each lane is due next. */
  async claim(statements: Transaction, lanes: readonly Lane[], slots: Slots, now: number): Promise<SlotClaim[]> {
    const taken: PendingInSlot[] = [];
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
      lane.available = touched.has(lane.name) && due !== null ? Math.max(due, now) : due; // puts it behind lanes that were due before
    }
    return claims;
  }

  /** Restarts the leases of attempts in progress. Those that are no longer held stay as they are. */
  async renew(statements: SqlExecutor, claims: readonly Claim[], now: number): Promise<void> {
    const ids = inList(claims.map(({ id }) => id));
    const leases = inList(claims.map(({ lease }) => lease));
    await statements.write(`${RENEW} id IN ${ids.sql} AND lease IN ${leases.sql}`, [now, ...ids.values, ...leases.values]);
  }

  /** Notes it, and restarts the lease. Returns false if it is no longer held. */
  async noteContent(statements: SqlExecutor, { id, lease }: Claim, now: number): Promise<boolean> {
    const { affected } = await statements.write(NOTE_CONTENT, [now, id, lease]);
    return affected === 1;
  }

  private async readWaiting(
    statements: SqlExecutor,
    names: readonly string[],
    lanes: ReadonlyMap<string, Lane>,
    now: number,
  ): Promise<void> {
    const padded = inList(names).values;
    // One more than can be claimed: its due time becomes the lane's.
    const values = padded.flatMap((name) => [name, now, capacityOf(lanes.get(String(name))!, now) + 1]);
    const selects = padded.map(() => this.findWaiting).join(' UNION ALL ');
    type Row = [nextAttempt: number, isCounted: number, ...Columns];
    const seen = new Set<number>(); // inList() may repeat the last name, and so its rows
    for (const [nextAttempt, isCounted, ...columns] of await statements.read<Row>(selects, values)) {
      const delivery = toDelivery(columns);
      if (seen.has(delivery.id)) continue;
      seen.add(delivery.id);
      lanes.get(delivery.lane)!.waiting.push({ ...delivery, number: delivery.number + 1, nextAttempt, isCounted: isCounted === 1 });
    }
  }

  /** Leaves out deliveries that were cancelled or expired after they were read. */
  private async write(statements: Transaction, taken: readonly PendingInSlot[], now: number): Promise<SlotClaim[]> {
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
      await statements.write(`${MARK_UNCOUNTED} ${list.sql}`, list.values);
    }
    return claims.map((delivery) => ({ ...delivery, lease, started: now, isOverLimit: over.has(delivery.id) }));
  }

  /** Ids of deliveries over the daily limit. Counts each delivery only once; in a fixed order, so that transactions can't deadlock. */
  private async findOverLimit(statements: Transaction, taken: readonly PendingInSlot[], now: number): Promise<Set<number>> {
    const over = new Set<number>();
    const uncounted = taken.filter(({ type, isCounted }) => !isCounted && dailyQuota(this.config, type));
    const keyOf = ({ accountId, type }: PendingInSlot) => `${accountId} ${type}`;
    for (const key of [...new Set(uncounted.map(keyOf))].sort()) {
      const group = uncounted.filter((each) => keyOf(each) === key);
      const [{ accountId, type }] = group;
      const within = await this.quotas.consumeUpTo(statements, accountId, dailyQuota(this.config, type)!, group.length, now);
      for (const { id } of group.slice(within)) over.add(id);
    }
    return over;
  }
}

/** `number` is that of the last attempt. */
function toDelivery([id, accountId, messageId, handlerId, type, part, eventId, until, lane, outcome, number, tries]: Columns) {
  return { id, accountId, messageId, handlerId, type, part, eventId, until, lane, outcome, number, tries };
}

/** Whether the lane's next delivery is due. */
export function isDue({ waiting: [next] }: Lane, now: number): boolean {
  return next !== undefined && next.nextAttempt <= now;
}

/** When the next delivery can be claimed or the oldest lease ends, whichever is first; without room, the latter. Null if neither. */
function dueOf(lane: Lane): number | null {
  const [next] = lane.waiting;
  const end = lane.oldestLease + LEASE_MS;
  const due = freeAttempts(lane) > 0 && next ? Math.min(end, Math.max(next.nextAttempt, nextClaimTime(lane))) : end;
  return due === Infinity ? null : due;
}
