import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Background, type BackgroundWork } from '../jobs/background';
import type { SandboxClock } from './sandbox-clock';

/** Waits for work in the background, and moves the clock from one due time to the next. */
@Injectable()
export class Settling {
  constructor(
    private readonly background: Background,
    private readonly clock: Clock,
  ) {}

  /** Resolves once nothing is due or at work, of one account or of all. */
  async settle(accountId?: number): Promise<void> {
    do {
      for (const work of this.background.works) {
        work.loop.wake();
        await yieldToEventLoop(); // to the cycle that the call has woken
        while (await this.isBusy(work, accountId)) await work.loop.cycled();
      }
      // Twice: an event becomes a delivery, and a delivery an event, which may pass between two looks.
    } while ((await this.isAnyBusy(accountId)) || (await this.isAnyBusy(accountId)));
  }

  /** What becomes due on the way happens in its order, at its time. */
  async advance(milliseconds: number): Promise<void> {
    const clock = this.clock as SandboxClock;
    await this.settle();
    const end = clock.now() + milliseconds;
    for (let next = await this.nextDue(); next <= end; next = await this.nextDue()) {
      clock.moveTo(next);
      await this.settle();
    }
    clock.moveTo(end);
    await this.settle();
  }

  private async nextDue(): Promise<number> {
    return Math.min(...(await Promise.all(this.background.works.map((work) => work.nextDue()))));
  }

  private async isAnyBusy(accountId?: number): Promise<boolean> {
    for (const work of this.background.works) if (await this.isBusy(work, accountId)) return true;
    return false;
  }

  private async isBusy(work: BackgroundWork, accountId?: number): Promise<boolean> {
    return (await work.nextDue(accountId)) <= this.clock.now();
  }
}
