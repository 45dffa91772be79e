import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config } from '../../config/config';
import { type Claim, DEADLINE_MS, isEnded, LEASE_MS, noAnswer, type Settlement } from '../queue/claim';
import { DeliveryQueue } from '../queue/delivery-queue';
import { Alarm } from './alarm';
import { Dispatch, type Dispatcher } from './dispatch';
import { Places } from './places';
import { SpeedRecord } from './speed-record';

const RETRY_MS = 1_000;
const WARNING_INTERVAL_MS = 60_000;
/** Of the 10 s that process managers commonly allow between SIGTERM and SIGKILL. */
const STOP_MS = 9_000;
/** An attempt that begins later could outlast its lease. */
const MAX_DELAY_MS = LEASE_MS - DEADLINE_MS - 1_000;
/** Claimed ahead, per place: a place that is freed is used at once, and a turn has more to write (bench/RESULTS.md). */
const AHEAD = 3;
/** What was claimed ahead and finds no place is given back. */
const MAX_WAIT_MS = 2_000;

/** A claim without a place yet. */
interface Waiting {
  claim: Claim;
  dispatch: Dispatcher;
  /** By the monotonic clock. */
  claimed: number;
}

/** Claims due deliveries and attempts them, up to DELIVERY_CONCURRENCY at once. */
@Injectable()
export class DeliveryWorker implements BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryWorker.name);
  private readonly stopping = new AbortController();
  private readonly speeds = new SpeedRecord();
  private readonly places: Places;
  private readonly atWork = new Map<number, Claim>();
  private waiting: Waiting[] = [];
  private ended: Settlement[] = [];
  private isCutOff = false;
  private quietUntil = 0;
  private running?: Promise<void>;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly alarm: Alarm,
    private readonly dispatch: Dispatch,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    this.places = new Places(config.deliveries.concurrency);
  }

  start(): void {
    if (this.config.deliveries.concurrency > 0) this.running ??= this.run();
  }

  /** Something is due now. */
  wake(): void {
    this.alarm.ring();
  }

  /** Gives back what has not been sent, waits for what has, and notes it. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.alarm.ring();
    const timer = setTimeout(() => this.cutOff(), STOP_MS);
    await this.running;
    clearTimeout(timer);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    while (!this.isFinished()) {
      this.giveBackWaiting(this.isStopping ? 0 : MAX_WAIT_MS);
      if (this.ended.length > 0 || (this.alarm.isRung && this.mayClaim())) await this.turn();
      else await this.alarm.rest(this.mayClaim());
    }
  }

  private isFinished(): boolean {
    return this.isStopping && this.atWork.size === 0 && (this.ended.length + this.waiting.length === 0 || this.isCutOff);
  }

  private mayClaim(): boolean {
    return !this.isStopping && (!this.places.isFull || this.waiting.length === 0);
  }

  private async turn(): Promise<void> {
    const settlements = this.ended.splice(0);
    const claimed = this.clock.monotonic();
    this.alarm.reset();
    try {
      const { claims, dueAccounts } = await this.queue.turn(settlements, this.limits());
      this.places.dueAccounts = dueAccounts;
      if (claims.length > 0) this.add(claims, claimed);
    } catch (error) {
      this.ended.unshift(...settlements);
      this.warn(error as Error);
      await sleep(RETRY_MS);
      this.alarm.ring();
    }
  }

  private limits() {
    const { concurrency } = this.config.deliveries;
    const ahead = this.isStopping ? 0 : Math.max(0, AHEAD * concurrency - this.waiting.length);
    const isFast = (lane: string) => this.speeds.isFast(lane);
    return { places: this.isStopping ? 0 : concurrency, inUse: this.places.inUse, ahead, isFast };
  }

  private add(claims: readonly Claim[], claimed: number): void {
    this.alarm.ring(); // there may be more
    const dispatch = this.dispatch.load(claims);
    this.waiting.push(...claims.map((claim) => ({ claim, dispatch, claimed })));
    this.attemptWaiting();
  }

  private attemptWaiting(): void {
    for (let index = 0; index < this.waiting.length && !this.places.isFull;) {
      if (this.places.tryTake(this.waiting[index].claim.accountId)) this.attempt(...this.waiting.splice(index, 1));
      else index++;
    }
  }

  private attempt(...[{ claim, dispatch, claimed }]: Waiting[]): void {
    this.atWork.set(claim.id, claim);
    const mayWrite = () => this.clock.monotonic() - claimed < MAX_DELAY_MS;
    void dispatch(claim, { mayWrite, giveBack: this.stopping.signal }).then((ending) => this.end({ claim, ending }));
  }

  private end(settlement: Settlement): void {
    const { claim, ending } = settlement;
    if (this.atWork.get(claim.id) !== claim) return; // cut off
    this.atWork.delete(claim.id);
    this.places.release(claim.accountId);
    if (isEnded(ending)) this.speeds.note(claim, ending);
    this.ended.push(settlement);
    if (!this.isStopping) this.attemptWaiting();
    this.alarm.ring();
  }

  private giveBackWaiting(maxMs: number): void {
    const oldest = this.clock.monotonic() - maxMs;
    const late = this.waiting.filter(({ claimed }) => claimed <= oldest);
    if (late.length === 0) return;
    this.waiting = this.waiting.filter(({ claimed }) => claimed > oldest);
    this.ended.push(...late.map(({ claim }) => ({ claim, ending: 'given back' as const })));
  }

  /** Notes the attempts that still wait for an answer: the process ends. */
  private cutOff(): void {
    this.isCutOff = true;
    for (const claim of this.atWork.values()) this.end({ claim, ending: noAnswer(claim, this.clock.now()) });
    this.alarm.ring();
  }

  private warn(error: Error): void {
    if (this.clock.monotonic() < this.quietUntil) return;
    this.quietUntil = this.clock.monotonic() + WARNING_INTERVAL_MS;
    this.logger.warn({ message: 'Deliveries wait: the database can’t be used.', err: error });
  }
}
