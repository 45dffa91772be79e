import { setImmediate as nextTurn } from 'node:timers/promises';

const TURN_MS = 10;

/** Leaves the event loop to others when steps have held it for 10 ms. Not for each step: on a busy process, each turn is a wait. */
export class Turns {
  /** When the first step of this turn of the event loop began. */
  private start?: number;

  async next(): Promise<void> {
    if (this.start !== undefined) {
      if (performance.now() - this.start < TURN_MS) return;
      await nextTurn();
    }
    this.start = performance.now();
    setImmediate(() => (this.start = undefined));
  }
}
