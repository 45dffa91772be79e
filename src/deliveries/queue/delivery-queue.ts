import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../platform/common/clock';
import type { SqlExecutor } from '../../platform/database/dialect';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { inFairOrder } from '../../platform/jobs/due-rows';
import { ThrottledLog } from '../../platform/observability/logging';
import { DeliveryMetrics } from '../delivery-metrics';
import { type Claim, type FailedDelivery, LEASE_MS, type Settlement, type SlotClaim } from './claim';
import { Claimer, isDue } from './claimer';
import { type Lane, LaneTable } from './lane';
import { noAnswerResult } from './next-state';
import { Settler } from './settler';
import { Slots } from './slots';

/**
 * The delivery queue, kept in the database. A cycle writes the results of ended attempts and claims due deliveries in one transaction,
 * which keeps transactions few under load.
 *
 * Terms: a lane holds the pending deliveries of a handler, and limits how many are in flight. A claim leases one of them to a
 * process for an attempt. The claim ends with the attempt's result, or is cancelled or released; a settlement is a claim with its
 * ending, to be written by the next cycle.
 */
@Injectable()
export class DeliveryQueue {
  /** Claims of a failed cycle, which may have been committed; the next cycle releases them. */
  private uncertainClaims: Settlement[] = [];
  private readonly failureLog = new ThrottledLog(new Logger('FailureLog'), this.clock);

  constructor(
    private readonly lanes: LaneTable,
    private readonly claimer: Claimer,
    private readonly settler: Settler,
    private readonly metrics: DeliveryMetrics,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Whether claims of a failed cycle may have been committed. */
  get hasUncertainClaims(): boolean {
    return this.uncertainClaims.length > 0;
  }

  /** When the next lane that these slots have room for is due, or a delivery expires; infinite if nothing is pending. */
  async nextDue(slots: Slots, accountId?: number): Promise<number> {
    return Math.min(...(await Promise.all([this.lanes.nextDue(slots, accountId), this.settler.findNextExpiry(accountId)])));
  }

  /**
   * Writes how claims ended, and claims what is due.
   * @throws the database's error. Then pass the settlements again: if the commit succeeded, those already written are ignored.
   */
  async cycle(settlements: readonly Settlement[], slots: Slots): Promise<SlotClaim[]> {
    const now = this.clock.now();
    this.reportFailures(await this.settler.expire(now));
    // Claims nothing until uncertain claims are settled: on a full disk, every COMMIT fails, and every cycle would add more of them.
    const usableSlots = this.hasUncertainClaims ? new Slots(0) : slots;
    const due = await this.lanes.findDue(usableSlots, now);
    const allSettlements = [...this.uncertainClaims, ...settlements];
    if (due.lanes.length === 0 && allSettlements.length === 0) return [];
    let claims: SlotClaim[] = [];
    let failures: FailedDelivery[] = [];
    try {
      await this.executor.run(async (statements) => {
        const lanes = await this.lockLanes(statements, allSettlements, due.lanes, usableSlots, now);
        const names = new Set([...lanes.map(({ name }) => name), ...allSettlements.map(({ claim }) => claim.lane)]);
        if (names.size === 0) return; // other processes have locked what is due
        const leased = await this.claimer.findLeased(statements, [...names]);
        const settlementsByKey = addLapsed(allSettlements, leased, now);
        failures = await this.settler.settle(statements, [...settlementsByKey.values()], lanes, now);
        const stillLeased = leased.filter((claim) => !settlementsByKey.has(keyOf(claim)));
        await this.claimer.fillLanes(statements, lanes, stillLeased, now);
        for (const lane of lanes) if (isDue(lane, now)) due.accounts.add(lane.accountId);
        claims = await this.claimer.claim(statements, lanes, usableSlots.copy(due.accounts), now);
        await this.lanes.save(statements, lanes);
      });
    } catch (error) {
      this.uncertainClaims.push(...claims.map((claim) => ({ claim, ending: 'released' as const })));
      throw error;
    }
    this.uncertainClaims = [];
    this.reportFailures(failures);
    return claims;
  }

  /** Keeps other processes from attempting these deliveries for another LEASE_MS. */
  renew(claims: readonly Claim[]): Promise<void> {
    return this.executor.run((statements) => this.claimer.renew(statements, claims, this.clock.now()));
  }

  /** Call before sending a mail's content, and send it only if this returns true. */
  noteContent(claim: Claim): Promise<boolean> {
    return this.executor.run((statements) => this.claimer.noteContent(statements, claim, this.clock.now()));
  }

  /** Locks the lanes of these settlements and those that are due. Lanes of the accounts with the fewest slots in use come first. */
  private async lockLanes(
    statements: SqlExecutor,
    settlements: readonly Settlement[],
    due: readonly Lane[],
    slots: Slots,
    now: number,
  ): Promise<Lane[]> {
    const ownNames = new Set(settlements.map(({ claim }) => claim.lane));
    const dueNames = due.map(({ name }) => name).filter((name) => !ownNames.has(name));
    const own = await this.lanes.lock(statements, [...ownNames]);
    const others = new Map((await this.lanes.lockDue(statements, dueNames, now)).map((lane) => [lane.name, lane]));
    const inOrder = [...dueNames.flatMap((name) => others.get(name) ?? []), ...own];
    return inFairOrder(inOrder, (accountId) => slots.usedBy(accountId));
  }

  /** Counts failures, and logs at most one line a minute per handler, without text, address or secret. */
  private reportFailures(failures: readonly FailedDelivery[]): void {
    for (const { claim, ending } of failures) {
      const { accountId: account, handlerId: handler_id, messageId: message_id, id: delivery_id, type } = claim;
      const { outcome, status, code } = ending.verdict;
      this.metrics.failures?.inc({ type, outcome });
      const fields = { account, handler_id, message_id, delivery_id, type, outcome, status, code };
      this.failureLog.log({ message: 'A delivery failed.', ...fields }, handler_id);
    }
  }
}

/** Maps claims to their settlements, and adds one for each claim whose lease has lapsed: its process died, or can't reach the database. */
function addLapsed(settlements: readonly Settlement[], leased: readonly Claim[], now: number): Map<string, Settlement> {
  const byKey = new Map(settlements.map((settlement) => [keyOf(settlement.claim), settlement]));
  for (const claim of leased) {
    if (claim.started > now - LEASE_MS || byKey.has(keyOf(claim))) continue;
    byKey.set(keyOf(claim), { claim, ending: { ...noAnswerResult(claim, now), hasLapsed: true } });
  }
  return byKey;
}

function keyOf({ id, lease }: Claim): string {
  return `${id} ${lease}`;
}
