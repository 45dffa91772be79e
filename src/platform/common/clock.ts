/** A provider, so that tests can set the time of one application. Needs no decorator, because it injects nothing; the command line loads it without Nest. */
export class Clock {
  /** Milliseconds since 1970. */
  now(): number {
    return Date.now();
  }

  /** Milliseconds from an arbitrary origin; unlike `now`, never jumps. */
  monotonic(): number {
    return performance.now();
  }
}
