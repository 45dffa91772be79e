import { setImmediate as nextTurn } from 'node:timers/promises';

const TURN_MS = 10;

/** Leaves the event loop to others every 10 ms. Not for each step: on a busy process, each turn is a wait. */
export class Turns {
  private start = performance.now();

  async next(): Promise<void> {
    if (performance.now() - this.start < TURN_MS) return;
    await nextTurn();
    this.start = performance.now();
  }
}
