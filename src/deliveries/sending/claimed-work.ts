import { type Claim, isEnded, noAnswer, type Settlement } from '../queue/claim';
import type { ClaimLimits } from '../queue/fair-share';
import type { Dispatcher, DispatchOptions } from './dispatch';
import { Places } from '../queue/places';
import { SpeedRecord } from './speed-record';

/** Claimed ahead, per place: a place that is freed is used at once, and a turn has more to write (bench/RESULTS.md). */
const AHEAD = 4;

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
  private readonly speeds = new SpeedRecord();
  private readonly atWork = new Map<number, Claim>();
  private waiting: Waiting[] = [];
  private isClosed = false;

  /** Calls `onEnd` when a claim has ended. */
  constructor(
    private readonly concurrency: number,
    private readonly onEnd: () => void,
  ) {
    this.places = new Places(concurrency);
  }

  get isEmpty(): boolean {
    return this.atWork.size + this.waiting.length === 0;
  }

  get hasRoom(): boolean {
    return !this.isClosed && (!this.places.isFull || this.waiting.length === 0);
  }

  /** Whether every place can be filled again while a turn runs. */
  get hasReserve(): boolean {
    return this.waiting.length >= 2 * this.concurrency;
  }

  get limits(): ClaimLimits {
    const isFast = (lane: string) => this.speeds.isFast(lane);
    if (this.isClosed) return { places: new Places(0), ahead: 0, isFast };
    return { places: this.places, ahead: Math.max(0, AHEAD * this.concurrency - this.waiting.length), isFast };
  }

  add(claims: readonly Claim[], work: Omit<Waiting, 'claim'>): void {
    this.waiting.push(...claims.map((claim) => ({ claim, ...work })));
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
    if (!this.waiting.some(isChosen)) return;
    this.ended.push(...this.waiting.filter(isChosen).map(({ claim }) => ({ claim, ending: 'given back' as const })));
    this.waiting = this.waiting.filter((each) => !isChosen(each));
  }

  private fillPlaces(): void {
    for (let index = 0; index < this.waiting.length && !this.isClosed && !this.places.isFull;) {
      if (this.places.tryTake(this.waiting[index].claim.accountId)) this.begin(this.waiting.splice(index, 1)[0]);
      else index++;
    }
  }

  private begin({ claim, attempt, options }: Waiting): void {
    this.atWork.set(claim.id, claim);
    void attempt(claim, options).then((ending) => this.end({ claim, ending }));
  }

  private end(settlement: Settlement): void {
    const { claim, ending } = settlement;
    if (this.atWork.get(claim.id) !== claim) return; // cut off
    this.atWork.delete(claim.id);
    this.places.release(claim.accountId);
    if (isEnded(ending)) this.speeds.note(claim, ending);
    if (!this.speeds.isFast(claim.lane)) this.giveBack(({ claim: { lane } }) => lane === claim.lane); // the receiver may have asked to wait
    this.ended.push(settlement);
    this.fillPlaces();
    this.onEnd();
  }
}
