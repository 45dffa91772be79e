import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { timestamp } from '../../platform/common/time';
import { Config } from '../../platform/config/config';
import { Dialect, type SqlExecutor } from '../../platform/database/dialect';
import { inList } from '../../platform/database/value-lists';
import type { Transaction } from '../../platform/database/writes/transactions';
import type { Outcome } from '../channels/channel';
import { Quotas } from '../../platform/quotas/quotas';
import { type Claim, LEASE_MS, type PendingDelivery, type SlotClaim } from './claim';
import type { Until } from '../delivery.entity';
import { dailyQuota } from './delivery-limits';
import { capacityOf, type Lane, MAX_ATTEMPTS_PER_LANE, nextClaimTime, freeAttempts, slotUseOf } from './lane';
import type { Slots, SlotUse } from './slots';

type AdmittedDelivery = PendingDelivery & { use: SlotUse };

/** Lanes per statement: SQLite limits the terms of a compound SELECT to 500. */
const LANES_PER_QUERY = 64;
const CLAIM_COLUMNS = 'id, account_id, message_id, handler_id, type, part, event_id, until, lane, outcome, attempts, tries';
const FIND_LEASED = `SELECT lease, started, has_content, ${CLAIM_COLUMNS} FROM deliveries WHERE lease > '' AND lane IN`;
const FIND_PENDING = `SELECT next_attempt, is_counted, ${CLAIM_COLUMNS} FROM deliveries
  WHERE lane = ? AND lease IS NULL AND next_attempt >= 0 AND (expires_at IS NULL OR expires_at > ?) ORDER BY next_attempt LIMIT ?`;
const CLAIM = `UPDATE deliveries SET lease = ?, started = ?, has_content = 0, attempts = attempts + 1, is_counted = 1, last_datetime = ?
  WHERE lease IS NULL AND next_attempt >= 0 AND id IN`;
const FIND_CLAIMED = 'SELECT id FROM deliveries WHERE lease = ? AND id IN';
const RENEW = 'UPDATE deliveries SET started = ? WHERE';
const NOTE_CONTENT = 'UPDATE deliveries SET has_content = 1, started = ? WHERE id = ? AND lease = ?';
const MARK_UNCOUNTED = 'UPDATE deliveries SET is_counted = 0 WHERE id IN';

type ClaimRow = [
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
  private readonly findPendingSql = this.dialect.sql.wrapForUnion(FIND_PENDING);
  /** Distinguishes this process's leases from those of other processes. */
  private readonly leasePrefix = randomBytes(12).toString('hex');
  private cycles = 0;

  constructor(
    private readonly quotas: Quotas,
    private readonly dialect: Dialect,
    private readonly config: Config,
  ) {}

  /** Finds the claims in these lanes, of any process. */
  async findLeased(statements: SqlExecutor, lanes: readonly string[]): Promise<Claim[]> {
    const { sql, values } = inList(lanes);
    const rows = await statements.read<[lease: string, started: number, hasContent: number, ...ClaimRow]>(`${FIND_LEASED} ${sql}`, values);
    return rows.map(([lease, started, hasContent, ...columns]) => {
      return { ...toDelivery(columns), lease, started, hasContent: hasContent === 1, isOverLimit: false };
    });
  }

  /** Sets each lane's `inFlight` and `oldestLease` from these claims, and reads its next deliveries. */
  async fillLanes(statements: SqlExecutor, lanes: readonly Lane[], leased: readonly Claim[], now: number): Promise<void> {
    const byName = new Map(lanes.map((lane) => [lane.name, Object.assign(lane, { inFlight: 0, oldestLease: Infinity, pending: [] })]));
    for (const { lane: name, started } of leased) {
      const lane = byName.get(name);
      if (!lane) continue;
      lane.inFlight++;
      lane.oldestLease = Math.min(lane.oldestLease, started);
    }
    const names = [...byName.keys()];
    for (let start = 0; start < names.length; start += LANES_PER_QUERY)
      await this.readPending(statements, names.slice(start, start + LANES_PER_QUERY), byName, now);
  }

  /** Claims due deliveries round robin, one per lane per round, and sets when each lane is next due. */
  async claim(statements: Transaction, lanes: readonly Lane[], slots: Slots, now: number): Promise<SlotClaim[]> {
    const admitted: AdmittedDelivery[] = [];
    for (let round = 0; round < MAX_ATTEMPTS_PER_LANE; round++) {
      for (const lane of lanes) {
        const [next] = lane.pending;
        const use = slotUseOf(lane);
        if (!isDue(lane, now) || capacityOf(lane, now) === 0 || !slots.tryTake(lane.accountId, use)) continue;
        admitted.push({ ...next, use });
        lane.pending.shift();
        lane.inFlight++;
        lane.oldestLease = Math.min(lane.oldestLease, now);
        lane.lastClaim = now;
      }
    }
    const claims = admitted.length > 0 ? await this.writeClaims(statements, admitted, now) : [];
    const servedLanes = new Set(admitted.map(({ lane }) => lane));
    const isComplete = claims.length === admitted.length; // otherwise some were cancelled meanwhile: their lanes have room
    for (const lane of lanes) {
      const due = isComplete || !servedLanes.has(lane.name) ? nextDueTime(lane) : now;
      lane.available = servedLanes.has(lane.name) && due !== null ? Math.max(due, now) : due; // goes behind lanes due earlier
    }
    return claims;
  }

  /** Restarts the leases of these claims, except lost ones. */
  async renew(statements: SqlExecutor, claims: readonly Claim[], now: number): Promise<void> {
    const ids = inList(claims.map(({ id }) => id));
    const leases = inList(claims.map(({ lease }) => lease));
    await statements.write(`${RENEW} id IN ${ids.sql} AND lease IN ${leases.sql}`, [now, ...ids.values, ...leases.values]);
  }

  /** Records that a mail's content may have been sent, and restarts the lease. Returns false if the lease has been lost. */
  async noteContent(statements: SqlExecutor, { id, lease }: Claim, now: number): Promise<boolean> {
    const { affected } = await statements.write(NOTE_CONTENT, [now, id, lease]);
    return affected === 1;
  }

  private async readPending(
    statements: SqlExecutor,
    names: readonly string[],
    lanes: ReadonlyMap<string, Lane>,
    now: number,
  ): Promise<void> {
    const padded = inList(names).values;
    // Reads one more than can be claimed: its due time becomes the lane's.
    const values = padded.flatMap((name) => [name, now, capacityOf(lanes.get(String(name))!, now) + 1]);
    const selects = padded.map(() => this.findPendingSql).join(' UNION ALL ');
    type Row = [nextAttempt: number, isCounted: number, ...ClaimRow];
    const seen = new Set<number>(); // inList() may repeat the last name, and thus its rows
    for (const [nextAttempt, isCounted, ...columns] of await statements.read<Row>(selects, values)) {
      const delivery = toDelivery(columns);
      if (seen.has(delivery.id)) continue;
      seen.add(delivery.id);
      lanes.get(delivery.lane)!.pending.push({ ...delivery, number: delivery.number + 1, nextAttempt, isCounted: isCounted === 1 });
    }
  }

  /** Claims deliveries, except those that were cancelled or expired after they were read. */
  private async writeClaims(statements: Transaction, admitted: readonly AdmittedDelivery[], now: number): Promise<SlotClaim[]> {
    const lease = `${this.leasePrefix}-${(++this.cycles).toString(36)}`;
    const { sql, values } = inList(admitted.map(({ id }) => id));
    const { affected } = await statements.write(`${CLAIM} ${sql}`, [lease, now, timestamp(now), ...values]);
    const isComplete = affected === admitted.length;
    const claimedIds = isComplete
      ? undefined
      : new Set((await statements.read<[id: number]>(`${FIND_CLAIMED} ${sql}`, [lease, ...values])).flat());
    const claims = claimedIds ? admitted.filter(({ id }) => claimedIds.has(id)) : admitted;
    const overLimit = await this.countTowardLimits(statements, claims, now);
    if (overLimit.size > 0) {
      const list = inList([...overLimit]);
      await statements.write(`${MARK_UNCOUNTED} ${list.sql}`, list.values);
    }
    return claims.map((delivery) => ({ ...delivery, lease, started: now, isOverLimit: overLimit.has(delivery.id) }));
  }

  /** Counts each delivery once toward its daily limit, and returns the ids of those over it. A fixed order of locks prevents deadlocks. */
  private async countTowardLimits(statements: Transaction, admitted: readonly AdmittedDelivery[], now: number): Promise<Set<number>> {
    const overLimit = new Set<number>();
    const uncounted = admitted.filter(({ type, isCounted }) => !isCounted && dailyQuota(this.config, type));
    const keyOf = ({ accountId, type }: AdmittedDelivery) => `${accountId} ${type}`;
    for (const key of [...new Set(uncounted.map(keyOf))].sort()) {
      const group = uncounted.filter((each) => keyOf(each) === key);
      const [{ accountId, type }] = group;
      const acceptedCount = await this.quotas.consumeUpTo(statements, accountId, dailyQuota(this.config, type)!, group.length, now);
      for (const { id } of group.slice(acceptedCount)) overLimit.add(id);
    }
    return overLimit;
  }
}

/** `number` is the last attempt's. */
function toDelivery([id, accountId, messageId, handlerId, type, part, eventId, until, lane, outcome, number, tries]: ClaimRow) {
  return { id, accountId, messageId, handlerId, type, part, eventId, until, lane, outcome, number, tries };
}

/** Whether the lane's next delivery is due. */
export function isDue({ pending: [next] }: Lane, now: number): boolean {
  return next !== undefined && next.nextAttempt <= now;
}

/** When the lane's next delivery can be claimed or its oldest lease ends, whichever comes first; only the latter while the lane is full. */
function nextDueTime(lane: Lane): number | null {
  const [next] = lane.pending;
  const end = lane.oldestLease + LEASE_MS;
  const due = freeAttempts(lane) > 0 && next ? Math.min(end, Math.max(next.nextAttempt, nextClaimTime(lane))) : end;
  return due === Infinity ? null : due;
}
