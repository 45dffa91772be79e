import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { DueLanes } from '../queue/due-lanes';
import type { Slots } from '../queue/slots';

/** How often other processes' deliveries are looked for. */
const POLL_MS = 1_000;
/** Delay before the next turn when a due lane could not be claimed: its account has its share, or another process holds the lock. */
const CONTENDED_MS = 100;

/** Rings when something may be due: when it was enqueued here, at its due time, and every second for deliveries enqueued by other processes. */
@Injectable()
export class Alarm {
  isRung = true;
  private rouse = () => {};

  constructor(
    private readonly lanes: DueLanes,
    private readonly clock: Clock,
  ) {}

  ring(): void {
    this.isRung = true;
    this.rouse();
  }

  reset(): void {
    this.isRung = false;
  }

  /** Waits until it rings, or until something is due that these slots have room for. */
  async rest(slots: Slots): Promise<void> {
    const roused = new Promise<void>((resolve) => (this.rouse = resolve));
    const wait = slots.isFull ? POLL_MS : await this.untilNextDue(slots);
    const timer = setTimeout(() => this.ring(), wait);
    await roused;
    clearTimeout(timer);
  }

  private async untilNextDue(slots: Slots): Promise<number> {
    const next = await this.lanes.next(slots).catch(() => undefined);
    if (next === undefined) return POLL_MS;
    const left = next - this.clock.now();
    return left > 0 ? Math.min(left, POLL_MS) : CONTENDED_MS;
  }
}
