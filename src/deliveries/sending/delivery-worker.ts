import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config } from '../../config/config';
import { ThrottledLog } from '../../observability/logging';
import { DEADLINE_MS, LEASE_MS } from '../queue/claim';
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

/** Claims due deliveries and attempts them, up to DELIVERY_CONCURRENCY at once. */
@Injectable()
export class DeliveryWorker implements BeforeApplicationShutdown {
  private readonly warning = new ThrottledLog(new Logger(DeliveryWorker.name), this.clock);
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
      if (this.work.ended.length > 0 || (this.alarm.isRung && this.work.hasRoom)) await this.turn();
      else await this.alarm.rest(this.work.slots);
    }
    if (this.work.ended.length > 0) await this.turn(); // what was cut off
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
      const claims = await this.queue.turn(settlements, this.work.slots);
      if (claims.length === 0) return;
      this.alarm.ring(); // there may be more
      const mayWrite = () => this.clock.monotonic() - claimed < MAX_DELAY_MS;
      this.work.begin(claims, this.dispatch.load(claims), { mayWrite, giveBack: this.stopping.signal });
    } catch (error) {
      this.work.ended.unshift(...settlements);
      this.warning.log({ message: 'Deliveries wait: a turn of the queue failed.', err: error });
      await sleep(RETRY_MS);
      this.alarm.ring();
    }
  }

  /** While attempts go on ending, waits for those that can be settled together: turns of many cost less for each. */
  private async gather(): Promise<void> {
    await nextTurn(); // answers that have arrived
    for (let waited = 0, before = 0; waited < GATHER_MS && before < this.work.ended.length; waited++) {
      before = this.work.ended.length;
      await sleep(1);
    }
  }

  private cutOff(): void {
    this.isCutOff = true;
    this.work.cutOff(this.clock.now());
    this.alarm.ring();
  }
}
