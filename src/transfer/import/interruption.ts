const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Takes note of the first signal that asks for an end, so that the work at hand ends in order; a second one ends it at once. */
export class Interruption {
  isAsked = false;

  constructor() {
    for (const signal of SIGNALS) process.once(signal, this.ask);
  }

  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.ask);
  }

  private readonly ask = (): void => {
    this.isAsked = true;
    this.release();
  };
}
