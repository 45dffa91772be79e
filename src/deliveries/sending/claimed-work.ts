import { type Claim, isEnded, noAnswer, type Settlement } from '../queue/claim';
import type { ClaimLimits } from '../queue/fair-share';
import type { Dispatcher, DispatchOptions } from './dispatch';
import { MAX_IN_FLIGHT } from '../queue/lane';
import { Places } from '../queue/places';
import { LaneQueues } from './lane-queues';
import { SpeedRecord } from './speed-record';

/** Claimed ahead, per place: a place that is freed is used at once, and a turn has more to write (bench/RESULTS.md). */
const AHEAD = 8;
/** Of the places, for lanes that are not claimed ahead. */
const KEPT = 1 / 4;

/** A claim without a place yet. */
interface Waiting {
  claim: Claim;
  attempt: Dispatcher;
  options: DispatchOptions;
  /** By the monotonic clock. */
  claimed: number;
}

/** What this process has claimed: deliveries at work, each in a place, and those claimed ahead. */
export class ClaimedWork {
  /** Not settled yet. */
  ended: Settlement[] = [];
  readonly places: Places;
  /** Places that what was claimed ahead leaves free, for the next turn. */
  private kept = 0;
  private readonly speeds = new SpeedRecord();
  private readonly atWork = new Map<number, Claim>();
  /** Deliveries at work, by lane. */
  private readonly busy = new Map<string, number>();
  private readonly waiting = new LaneQueues<Waiting>();
  private isClosed = false;

  /** Calls `onEnd` when a claim has ended. */
  constructor(
    private readonly concurrency: number,
    private readonly onEnd: () => void,
  ) {
    this.places = new Places(concurrency);
  }

  get isEmpty(): boolean {
    return this.atWork.size + this.waiting.size === 0;
  }

  get hasRoom(): boolean {
    return !this.isClosed && (!this.places.isFull || this.waiting.size === 0);
  }

  /** Whether every place can be filled again while a turn runs. */
  get hasReserve(): boolean {
    return this.waiting.size >= 2 * this.concurrency;
  }

  get limits(): ClaimLimits {
    const speeds = { isFast: (lane: string) => this.speeds.isFast(lane), isInstant: (lane: string) => this.speeds.isInstant(lane) };
    if (this.isClosed) return { places: new Places(0), ahead: 0, ...speeds };
    return { places: this.places, ahead: Math.max(0, AHEAD * this.concurrency - this.waiting.size), ...speeds };
  }

  add(claims: readonly Claim[], work: Omit<Waiting, 'claim'>): void {
    for (const claim of claims) this.waiting.push({ claim, ...work });
    this.fillPlaces();
  }

  /** Keeps places free for lanes that found every place taken, until the next turn. */
  keepPlaces(lanes: number): void {
    this.kept = Math.min(lanes, Math.ceil(KEPT * this.concurrency));
    this.fillPlaces();
  }

  /** Gives back what was claimed before a time of the monotonic clock and found no place. */
  giveBackLate(before: number): void {
    this.giveBack(({ claimed }) => claimed <= before);
  }

  /** Starts nothing any more. */
  close(): void {
    this.isClosed = true;
    this.giveBack(() => true);
  }

  /** Notes the attempts that still wait for an answer: the process ends. */
  cutOff(now: number): void {
    for (const claim of this.atWork.values()) this.end({ claim, ending: noAnswer(claim, now) });
  }

  private giveBack(isChosen: (waiting: Waiting) => boolean): void {
    const removed = this.waiting.remove(isChosen);
    this.ended.push(...removed.map(({ claim }) => ({ claim, ending: 'given back' as const })));
  }

  private fillPlaces(): void {
    while (!this.isClosed && !this.places.isFull) {
      const next = this.waiting.take((claim) => this.mayBegin(claim));
      if (!next) return;
      this.begin(next);
    }
  }

  /** Takes a place. */
  private mayBegin({ lane, accountId }: Claim): boolean {
    if (this.busyIn(lane) >= MAX_IN_FLIGHT) return false;
    if (this.places.free <= this.kept && this.speeds.isFast(lane)) return false;
    return this.places.tryTake(accountId);
  }

  private busyIn(lane: string): number {
    return this.busy.get(lane) ?? 0;
  }

  private begin({ claim, attempt, options }: Waiting): void {
    this.atWork.set(claim.id, claim);
    this.busy.set(claim.lane, this.busyIn(claim.lane) + 1);
    void attempt(claim, options).then((ending) => this.end({ claim, ending }));
  }

  private end(settlement: Settlement): void {
    const { claim, ending } = settlement;
    if (this.atWork.get(claim.id) !== claim) return; // cut off
    this.atWork.delete(claim.id);
    this.places.release(claim.accountId);
    this.leave(claim.lane);
    if (isEnded(ending)) this.speeds.note(claim, ending);
    if (!this.speeds.isFast(claim.lane)) this.giveBack(({ claim: { lane } }) => lane === claim.lane); // the receiver may have asked to wait
    this.ended.push(settlement);
    this.fillPlaces();
    this.onEnd();
  }

  private leave(lane: string): void {
    const left = this.busyIn(lane) - 1;
    if (left > 0) this.busy.set(lane, left);
    else this.busy.delete(lane);
  }
}
