import { setMaxListeners } from 'node:events';
import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config } from '../../config/config';
import { Background } from '../../jobs/background';
import { PollLoop } from '../../jobs/poll-loop';
import { ThrottledLog } from '../../observability/logging';
import { DEADLINE_MS, LEASE_MS } from '../queue/claim';
import { DeliveryQueue } from '../queue/delivery-queue';
import { ClaimedWork } from './claimed-work';
import { Dispatch } from './dispatch';

/** How often other processes' deliveries are looked for. */
const POLL_MS = 1_000;
/** Delay before the next cycle when a due lane could not be claimed: its account has its share, or another process holds the lock. */
const CONTENDED_MS = 100;
const GATHER_MS = 20;
/** Of the 10 s that process managers commonly allow between SIGTERM and SIGKILL. */
const STOP_MS = 9_000;
/** An attempt that begins later could outlast its lease. */
const MAX_DELAY_MS = LEASE_MS - DEADLINE_MS - 1_000;

/** Claims due deliveries and attempts them, up to DELIVERY_CONCURRENCY at once. */
@Injectable()
export class DeliveryWorker {
  private readonly warning = new ThrottledLog(new Logger(DeliveryWorker.name), this.clock);
  private readonly stopping = new AbortController();
  private readonly work = new ClaimedWork(this.config.deliveries.concurrency, () => this.wake());
  private readonly loop = new PollLoop({
    cycle: () => this.cycle(),
    onError: (error) => this.warn(error),
    isIdle: () => this.work.isEmpty && (this.work.ended.length === 0 || this.isCutOff),
  });
  /** What has not ended by itself is written at the end, once: the database may be away. */
  private isCutOff = false;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly dispatch: Dispatch,
    private readonly clock: Clock,
    private readonly config: Config,
    background: Background,
  ) {
    setMaxListeners(0, this.stopping.signal); // one signal gives back all attempts of a process
    background.add(this);
  }

  start(): void {
    if (this.config.deliveries.concurrency > 0) this.loop.start();
  }

  /** Something is due now, or an attempt has ended. */
  wake(): void {
    this.loop.wake();
  }

  /** Gives back what has not been sent, waits for what has, and notes it. */
  async stop(): Promise<void> {
    this.work.close();
    this.stopping.abort();
    const timer = setTimeout(() => this.cutOff(), STOP_MS);
    await this.loop.stop();
    clearTimeout(timer);
    if (this.work.ended.length > 0) await this.cycle().catch((error: unknown) => this.warn(error));
  }

  /** Writes how attempts ended, starts those that are due, and returns when something may be due next. */
  private async cycle(): Promise<number> {
    await this.gather();
    const settlements = this.work.ended.splice(0);
    const claimed = this.clock.monotonic();
    try {
      const claims = await this.queue.cycle(settlements, this.work.slots);
      if (claims.length === 0) return this.loop.isWoken ? 0 : await this.untilNextDue();
      const mayWrite = () => this.clock.monotonic() - claimed < MAX_DELAY_MS;
      this.work.begin(claims, this.dispatch.load(claims), { mayWrite, giveBack: this.stopping.signal });
      return this.work.hasRoom ? 0 : POLL_MS; // there may be more
    } catch (error) {
      this.work.ended.unshift(...settlements);
      throw error;
    }
  }

  /** While attempts go on ending, waits for those that can be settled together: cycles of many cost less for each. */
  private async gather(): Promise<void> {
    await yieldToEventLoop(); // answers that have arrived
    for (let waited = 0, before = 0; waited < GATHER_MS && before < this.work.ended.length; waited++) {
      before = this.work.ended.length;
      await sleep(1);
    }
  }

  /** @returns milliseconds until a lane is due that these slots have room for */
  private async untilNextDue(): Promise<number> {
    const next = this.work.slots.isFull ? undefined : await this.queue.nextDue(this.work.slots).catch(() => undefined);
    if (next === undefined) return POLL_MS;
    const left = next - this.clock.now();
    return left > 0 ? Math.min(left, POLL_MS) : CONTENDED_MS;
  }

  private warn(error: unknown): void {
    this.warning.log({ message: 'Deliveries wait: a cycle of the queue failed.', err: error });
  }

  private cutOff(): void {
    this.isCutOff = true;
    this.work.cutOff(this.clock.now());
    this.wake();
  }
}
