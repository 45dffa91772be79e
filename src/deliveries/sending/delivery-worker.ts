import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config } from '../../config/config';
import { ThrottledWarning } from '../../observability/throttled-warning';
import { type Claim, DEADLINE_MS, LEASE_MS } from '../queue/claim';
import { DeliveryQueue } from '../queue/delivery-queue';
import { Alarm } from './alarm';
import { ClaimedWork } from './claimed-work';
import { Dispatch } from './dispatch';

const RETRY_MS = 1_000;
const GATHER_MS = 20;
/** Of the 10 s that process managers commonly allow between SIGTERM and SIGKILL. */
const STOP_MS = 9_000;
/** An attempt that begins later could outlast its lease. */
const MAX_DELAY_MS = LEASE_MS - DEADLINE_MS - 1_000;
/** Claims that find no place for this long are given back. Their handlers were read when they were claimed. */
const MAX_WAIT_MS = 1_000;

/** Claims due deliveries and attempts them, up to DELIVERY_CONCURRENCY at once. */
@Injectable()
export class DeliveryWorker implements BeforeApplicationShutdown {
  private readonly warning = new ThrottledWarning(new Logger(DeliveryWorker.name), this.clock);
  private readonly stopping = new AbortController();
  private readonly work: ClaimedWork;
  private isCutOff = false;
  private running?: Promise<void>;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly alarm: Alarm,
    private readonly dispatch: Dispatch,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    setMaxListeners(0, this.stopping.signal); // one signal gives back all attempts of a process
    this.work = new ClaimedWork(config.deliveries.concurrency, () => this.alarm.ring());
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
    this.work.close();
    this.stopping.abort();
    this.alarm.ring();
    const timer = setTimeout(() => this.cutOff(), STOP_MS);
    await this.running;
    clearTimeout(timer);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  private async run(): Promise<void> {
    while (!this.isFinished()) {
      if (this.stopping.signal.aborted) this.work.close(); // also what a turn has claimed meanwhile
      this.work.giveBackLate(this.clock.monotonic() - MAX_WAIT_MS);
      if (this.work.ended.length > 0 || (this.alarm.isRung && this.work.hasRoom)) await this.turn();
      else await this.alarm.rest(this.work.hasRoom);
    }
  }

  private isFinished(): boolean {
    return this.stopping.signal.aborted && this.work.isEmpty && (this.work.ended.length === 0 || this.isCutOff);
  }

  private async turn(): Promise<void> {
    await this.gather();
    const settlements = this.work.ended.splice(0);
    const claimed = this.clock.monotonic();
    this.alarm.reset();
    try {
      const { claims, dueAccounts, refused } = await this.queue.turn(settlements, this.work.limits);
      this.work.places.dueAccounts = dueAccounts;
      if (claims.length > 0) this.begin(claims, claimed);
      this.work.keepPlaces(refused);
    } catch (error) {
      this.work.ended.unshift(...settlements);
      this.warning.log({ message: 'Deliveries wait: a turn of the queue failed.', err: error });
      await sleep(RETRY_MS);
      this.alarm.ring();
    }
  }

  private begin(claims: readonly Claim[], claimed: number): void {
    this.alarm.ring(); // there may be more
    const mayWrite = () => this.clock.monotonic() - claimed < MAX_DELAY_MS;
    this.work.add(claims, { attempt: this.dispatch.load(claims), options: { mayWrite, giveBack: this.stopping.signal }, claimed });
  }

  /** Lets attempts end that can be settled together: turns of many deliveries cost less for each. */
  private async gather(): Promise<void> {
    await nextTurn(); // answers that have arrived
    for (let waited = 0; waited < GATHER_MS && this.work.hasReserve && !this.stopping.signal.aborted; waited++) await sleep(1);
  }

  private cutOff(): void {
    this.isCutOff = true;
    this.work.cutOff(this.clock.now());
    this.alarm.ring();
  }
}
