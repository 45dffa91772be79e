import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 1_000;

export interface PollLoopOptions {
  /** Returns how long to wait for the next cycle, unless it is woken before. */
  cycle: () => Promise<number>;
  /** A cycle has failed; the next one follows in a second. */
  onError: (error: unknown) => void;
  /** Once stopped, cycles go on until this returns true. Without it, none follows. */
  isIdle?: () => boolean;
}

/** Repeats a cycle until it is stopped. */
export class PollLoop {
  /** Whether the next cycle follows at once. */
  isWoken = false;
  private isStopped = false;
  private rouse = () => {};
  private running?: Promise<void>;

  constructor(private readonly options: PollLoopOptions) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Another cycle begins at once, or after the one that runs. */
  wake(): void {
    this.isWoken = true;
    this.rouse();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    const { isIdle } = this.options;
    while (!this.isStopped || isIdle) {
      this.isWoken = false;
      const wait = await this.runCycle();
      if (this.isStopped && isIdle?.()) return;
      if (wait === undefined)
        await sleep(RETRY_MS); // not woken: what fails now fails for every caller
      else if (wait > 0) await this.rest(wait);
    }
  }

  private async runCycle(): Promise<number | undefined> {
    try {
      return await this.options.cycle();
    } catch (error) {
      this.options.onError(error);
      return undefined;
    }
  }

  private async rest(milliseconds: number): Promise<void> {
    if (this.isWoken) return;
    const roused = new Promise<void>((resolve) => (this.rouse = resolve));
    const timer = setTimeout(() => this.rouse(), milliseconds);
    await roused;
    clearTimeout(timer);
  }
}
