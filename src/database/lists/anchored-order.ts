import type { Condition } from './selection';
import type { Key } from './ordered-list';

/** Records between two keys. */
export const STEP = 500;
const KEY_BYTES = 150;

/** Records that follow each other in one index. */
export interface Run {
  readonly condition: Condition;
  /** Leading columns of the index. */
  readonly prefix: readonly string[];
  readonly count: number;
  /** Of every STEP-th record. */
  readonly keys: readonly Key[];
}

/** Some of the records between two keys of a run; either may be missing. */
export interface Slice {
  readonly run: Run;
  readonly after?: Key;
  readonly upTo?: Key;
  readonly limit: number;
  readonly offset: number;
}

/** A list's order, with keys to read any page from: at most STEP records before it are skipped. */
export class AnchoredOrder {
  readonly total: number;
  readonly bytes: number;

  constructor(private readonly runs: readonly Run[]) {
    this.total = runs.reduce((sum, { count }) => sum + count, 0);
    this.bytes = runs.reduce((sum, { keys }) => sum + KEY_BYTES * (keys.length + 1), 0);
  }

  /** The records from one position to before another, in pieces. */
  slices(start: number, end: number): Slice[] {
    const slices: Slice[] = [];
    let position = 0;
    for (const run of this.runs) {
      const [from, to] = [Math.max(start - position, 0), Math.min(end - position, run.count)];
      if (from < to) slices.push(sliceOf(run, from, to));
      position += run.count;
      if (position >= end) break;
    }
    return slices;
  }
}

function sliceOf(run: Run, from: number, to: number): Slice {
  const [first, last] = [Math.floor(from / STEP), Math.ceil(to / STEP)];
  return { run, after: run.keys[first - 1], upTo: run.keys[last - 1], limit: to - from, offset: from - first * STEP };
}
