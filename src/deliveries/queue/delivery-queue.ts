import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { timestamp } from '../../common/time';
import type { SqlExecutor } from '../../database/dialect';
import { WriteExecutor } from '../../database/writes/write-executor';
import { type Claim, noAnswer, type Settlement } from './claim';
import { Claimer } from './claimer';
import { enqueue, type NewDeliveries } from './enqueue';
import { type ClaimLimits, FairShare } from './fair-share';
import { Places } from './places';
import { laneOf, type Recipient } from './lane';
import { LaneTable } from './lane-table';
import { type LanePending, type Pending, PendingReader } from './pending-reader';
import { Settler } from './settler';

const RETRY = "UPDATE deliveries SET status = 'pending', tries = 0, next_attempt = ?, last_datetime = ? WHERE id = ?";

/** While it is open what the last turn has claimed: a full disk fails every COMMIT. */
const NOTHING: ClaimLimits = { places: new Places(0), ahead: 0, isFast: () => false, isInstant: () => false };

const CANCEL = `UPDATE deliveries SET status = 'cancelled', next_attempt = NULL, last_datetime = ?
  WHERE handler_id = ? AND lease IS NULL AND next_attempt >= 0`;

interface Turn {
  claims: Claim[];
  dueAccounts: ReadonlySet<number>;
  /** Due lanes that found every place taken. */
  refused: number;
}

/**
 * The queue of deliveries is the database. One transaction, a turn, writes how attempts ended and claims the next ones: few
 * transactions, however many attempts end meanwhile.
 */
@Injectable()
export class DeliveryQueue {
  /** Claims of turns that failed, perhaps after the commit: given back with the next turn. */
  private uncertain: Settlement[] = [];

  constructor(
    private readonly lanes: LaneTable,
    private readonly reader: PendingReader,
    private readonly claimer: Claimer,
    private readonly settler: Settler,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Adds a message's deliveries in the message's transaction. */
  enqueue(statements: SqlExecutor, deliveries: NewDeliveries): Promise<void> {
    return enqueue(statements, this.lanes, deliveries);
  }

  /** Makes a finished delivery due now. */
  async retry(
    statements: SqlExecutor,
    { id, accountId, ...recipient }: Recipient & { id: number; accountId: number },
    now: number,
  ): Promise<void> {
    await statements.write(RETRY, [now, timestamp(new Date(now)), id]);
    await this.lanes.wake(statements, [{ name: laneOf(recipient, accountId), accountId }], now);
  }

  /** Cancels what a handler has pending, except attempts at work. */
  async cancel(statements: SqlExecutor, handlerId: number): Promise<void> {
    await statements.write(CANCEL, [timestamp(new Date(this.clock.now())), handlerId]);
  }

  async turn(settlements: readonly Settlement[], limits: ClaimLimits): Promise<Turn> {
    const now = this.clock.now();
    const due = await this.lanes.findDue(now);
    const all = [...this.uncertain, ...settlements];
    const dueNames = due.map(({ name }) => name);
    const dueAccounts = new Set(due.map(({ accountId }) => accountId));
    if (due.length === 0 && all.length === 0) return { claims: [], dueAccounts, refused: 0 };
    let claims: Claim[] = [];
    let refused = 0;
    try {
      await this.executor.runWithRetries(async (statements) => {
        const pending = await this.settle(statements, all, dueNames, limits, now);
        for (const { lane, waiting } of pending) if (isDue(waiting, now)) dueAccounts.add(lane.accountId);
        const share = new FairShare(this.uncertain.length > 0 ? NOTHING : limits, dueAccounts);
        claims = await this.claimer.take(statements, pending, share, now);
        refused = share.refused;
        const lanes = pending.map(({ lane }) => lane);
        await this.lanes.save(statements, lanes);
      });
      this.uncertain = [];
      return { claims, dueAccounts, refused };
    } catch (error) {
      this.uncertain.push(...claims.map((claim) => ({ claim, ending: 'given back' as const })));
      throw error;
    }
  }

  /** Locks the lanes of these settlements and those that are due, settles, and returns what the lanes have pending. */
  private async settle(
    statements: SqlExecutor,
    settlements: readonly Settlement[],
    due: readonly string[],
    limits: ClaimLimits,
    now: number,
  ): Promise<LanePending[]> {
    const ownNames = new Set(settlements.map(({ claim }) => claim.lane));
    const otherNames = due.filter((name) => !ownNames.has(name));
    const own = await this.lanes.lock(statements, [...ownNames]);
    const others = await this.lanes.lockDue(statements, otherNames, now);
    const locked = [...others.sort((a, b) => due.indexOf(a.name) - due.indexOf(b.name)), ...own];
    const byName = new Map(locked.map((lane) => [lane.name, lane]));
    await this.settler.apply(statements, settlements, byName, now);
    const pending = await this.reader.read(statements, locked, limits, now);
    const lapsed = pending.flatMap((each) => each.lapsed.map((delivery) => lapse(delivery, now)));
    if (lapsed.length === 0) return pending;
    await this.settler.apply(statements, lapsed, byName, now);
    return this.reader.read(statements, locked, limits, now);
  }
}

function isDue([next]: readonly Pending[], now: number): boolean {
  return next !== undefined && next.nextAttempt <= now;
}

/** The attempt of a process that has ended, or lost its database. */
function lapse({ lease, begun, ...rest }: Pending, now: number): Settlement {
  const claim = { ...rest, lease: lease!, begun: begun!, isOverLimit: false };
  return { claim, ending: { ...noAnswer(claim, now), hasLapsed: true } };
}
