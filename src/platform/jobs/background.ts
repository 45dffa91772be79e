import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

/** Work done in the background, apart from requests. */
export interface BackgroundWork {
  readonly name: string;
  start(): void;
  /** Starts no more work, and resolves once work in progress has ended. */
  stop(): Promise<void>;
  readonly loop: PollLoop;
  /**
   * When the next work is due, for one account or for all, in milliseconds since 1970: 0 while work is in progress, Infinity if none is
   * pending. Implementations must query the database first and check for work in progress second: in the reverse order, they would miss
   * rows that a cycle claims in between.
   */
  nextDue(accountId?: number): Promise<number>;
}

/** Starts all background work when the process listens, and ends it at SIGTERM. */
@Injectable()
export class Background implements BeforeApplicationShutdown {
  readonly workList: BackgroundWork[] = [];

  add(work: BackgroundWork): void {
    this.workList.push(work);
  }

  start(): void {
    for (const work of this.workList) work.start();
  }

  /** Starts a cycle of the named work because some of it is due. Does nothing in a process that doesn't run it, such as a command. */
  wake(name: string): void {
    this.workList.find((work) => work.name === name)?.loop.wake();
  }

  async stop(): Promise<void> {
    await Promise.all(this.workList.map((work) => work.stop()));
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }
}

/** Wait after a failed cycle: an earlier retry would probably fail again. */
const RETRY_MS = 1_000;

interface PollLoopOptions {
  /** Returns the milliseconds to wait before the next cycle; Infinity to wait for `wake`, which also cuts any other wait short. */
  cycle: () => Promise<number>;
  /** Called when a cycle fails. */
  onError: (error: unknown) => void;
  /** Milliseconds to wait after a failed cycle, by default RETRY_MS. `wake` doesn't cut this wait short; `stop` does, unless `isIdle` is set. */
  retryMs?: number;
  /** After `stop`, cycles continue until this returns true. Without this option, the current cycle is the last. */
  isIdle?: () => boolean;
}

/** Repeats a cycle until it is stopped. */
export class PollLoop {
  /** Whether the next cycle starts without waiting. */
  isWoken = false;
  private endRest = () => {};
  private running?: Promise<void>;
  private isCycling = false;
  private readonly afterCycle: (() => void)[] = [];
  private readonly stopping = new AbortController();

  constructor(private readonly options: PollLoopOptions) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Starts another cycle: at once, after the current one or, if that has failed, after `retryMs`. */
  wake(): void {
    this.isWoken = true;
    this.endRest();
  }

  get state(): 'off' | 'cycling' | 'resting' {
    if (!this.running || this.isStopped) return 'off';
    return this.isCycling ? 'cycling' : 'resting';
  }

  /** Resolves when the current cycle ends or, between cycles, the next one; never while the loop is off. */
  cycleEnd(): Promise<void> {
    return new Promise((resolve) => this.afterCycle.push(resolve));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    const { isIdle, retryMs = RETRY_MS } = this.options;
    while (!this.isStopped || isIdle) {
      this.isWoken = false;
      const wait = await this.runCycle();
      if (this.isStopped && isIdle?.()) return;
      if (wait === undefined) await this.pause(retryMs);
      else if (wait > 0) await this.rest(wait);
    }
  }

  private async runCycle(): Promise<number | undefined> {
    this.isCycling = true;
    try {
      return await this.options.cycle();
    } catch (error) {
      this.options.onError(error);
      return undefined;
    } finally {
      this.isCycling = false;
      for (const resolve of this.afterCycle.splice(0)) resolve();
    }
  }

  /** With `isIdle`, `stop` doesn't cut the pause short: the remaining work is retried at this pace. */
  private pause(milliseconds: number): Promise<void> {
    const { signal } = this.stopping;
    return sleep(milliseconds, undefined, this.options.isIdle ? undefined : { signal }).catch(() => undefined);
  }

  private async rest(milliseconds: number): Promise<void> {
    if (this.isWoken) return;
    const restEnded = new Promise<void>((resolve) => (this.endRest = resolve));
    const timer = milliseconds === Infinity ? undefined : setTimeout(() => this.endRest(), milliseconds);
    await restEnded;
    clearTimeout(timer);
  }
}
