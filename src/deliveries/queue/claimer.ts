import { Injectable } from '@nestjs/common';
import { timestamp } from '../../common/time';
import { Config } from '../../config/config';
import type { SqlExecutor } from '../../database/dialect';
import { inList } from '../../database/value-lists';
import { Quotas } from '../../quotas/quotas';
import { dailyQuota, LEASE_MS, Leases, type SlotClaim } from './claim';
import { capacityOf, type Lane, MAX_IN_FLIGHT, openFrom, roomIn, slotUseOf } from './lane';
import type { LanePending, Pending } from './pending-reader';
import type { Slots, SlotUse } from './slots';

type Taken = Pending & { use: SlotUse };

const CLAIM = 'UPDATE deliveries SET lease = ?, begun = ?, attempts = attempts + 1, is_counted = 1, last_datetime = ? WHERE id IN';
const UNCOUNT = 'UPDATE deliveries SET is_counted = 0 WHERE id IN';

/** Claims due deliveries in locked lanes. */
@Injectable()
export class Claimer {
  constructor(
    private readonly quotas: Quotas,
    private readonly config: Config,
    private readonly leases: Leases,
  ) {}

  /** Claims round robin, one delivery per lane and round, and sets when each lane is due next. */
  async take(statements: SqlExecutor, lanes: readonly LanePending[], slots: Slots, now: number): Promise<SlotClaim[]> {
    const taken = lanes.map(() => [] as Taken[]);
    for (let round = 0; round < MAX_IN_FLIGHT; round++) {
      for (const [index, { lane, waiting }] of lanes.entries()) {
        const next = waiting[round];
        if (taken[index].length < round || !next || next.nextAttempt > now || capacityOf(lane, now) === 0) continue;
        const use = slotUseOf(lane);
        if (!slots.tryTake(lane.accountId, use)) continue;
        taken[index].push({ ...next, use });
        lane.inFlight++;
        lane.lastClaim = now;
      }
    }
    for (const [index, { lane, oldest, waiting }] of lanes.entries()) {
      const count = taken[index].length;
      const due = dueOf(lane, count > 0 ? Math.min(oldest, now) : oldest, waiting[count]);
      lane.available = count > 0 && due !== null ? Math.max(due, now) : due; // behind the lanes that are due already
    }
    return this.write(statements, taken.flat(), now);
  }

  private async write(statements: SqlExecutor, pending: readonly Taken[], now: number): Promise<SlotClaim[]> {
    if (pending.length === 0) return [];
    const lease = this.leases.next();
    const over = await this.findOverLimit(statements, pending, now);
    const { sql, values } = inList(pending.map(({ id }) => id));
    await statements.write(`${CLAIM} ${sql}`, [lease, now, timestamp(new Date(now)), ...values]);
    if (over.size > 0) {
      const list = inList([...over]);
      await statements.write(`${UNCOUNT} ${list.sql}`, list.values);
    }
    return pending.map(({ nextAttempt: _, isCounted: __, ...claim }) => ({
      ...claim,
      lease,
      started: now,
      isOverLimit: over.has(claim.id),
    }));
  }

  private async findOverLimit(statements: SqlExecutor, pending: readonly Pending[], now: number): Promise<Set<number>> {
    const over = new Set<number>();
    const uncounted = pending.filter(({ type, isCounted }) => !isCounted && dailyQuota(this.config, type));
    const keys = new Set(uncounted.map(keyOf));
    for (const key of [...keys].sort()) {
      const group = uncounted.filter((each) => keyOf(each) === key);
      const [{ accountId, type }] = group;
      const within = await this.quotas.take(statements, accountId, dailyQuota(this.config, type)!, group.length, now);
      for (const { id } of group.slice(within)) over.add(id);
    }
    return over;
  }
}

function keyOf({ accountId, type }: Pending): string {
  return `${accountId} ${type}`;
}

/** With room, when the next delivery is due or a lease ends; otherwise, when a lease ends. */
function dueOf(lane: Lane, oldest: number, next?: Pending): number | null {
  const end = oldest + LEASE_MS;
  const due = roomIn(lane) > 0 && next ? Math.min(end, Math.max(next.nextAttempt, openFrom(lane))) : end;
  return due === Infinity ? null : due;
}
