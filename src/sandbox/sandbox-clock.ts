import { Clock } from '../common/clock';

/** Stands still until it is moved. Durations go on in real time: a request has its deadlines. */
export class SandboxClock extends Clock {
  private moved = 0;
  private time = super.now();

  override now(): number {
    return this.time;
  }

  override monotonic(): number {
    return super.monotonic() + this.moved;
  }

  /** Never goes back. */
  moveTo(time: number): void {
    const step = Math.max(0, time - this.time);
    this.time += step;
    this.moved += step;
  }
}
