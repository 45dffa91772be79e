import type { RowValues } from '../dialect';
import type { Direction } from '../records/selection';
import type { SizedContent } from './list-memory';

/** A list with more records than this is large: counting it takes longer than reading a page. */
export const MAX_SMALL_LIST = 2_000;
const MAX_ANCHORS = 500;
const ANCHOR_BYTES = 40;

/** A position in ascending order of ids: the number of records with ids up to and including `id`. */
interface Anchor {
  readonly position: number;
  readonly id: number;
}

/** Reads `size` records after skipping some, from an anchor or else from an end of the list. */
export interface Scan {
  readonly anchor?: Anchor;
  readonly direction: Direction;
  readonly skip: number;
  readonly size: number;
}

/** A large list's size, and anchors from which its pages are read by id: reading from the start is slow (bench/HISTORY.md). */
export class ListCount implements SizedContent {
  readonly bytes: number;
  readonly anchors: Anchor[];

  constructor(
    /** The greatest id. */
    readonly end: Anchor,
    anchors: readonly Anchor[],
  ) {
    this.bytes = end.position > MAX_SMALL_LIST ? MAX_ANCHORS * ANCHOR_BYTES : 0;
    this.anchors = [...anchors]; // copied, because an earlier count must not get anchors after its own end
  }

  /** Plans a scan up from an anchor before these positions, or down from an anchor (or the end) after them, whichever is nearer. */
  planScan(from: number, to: number): Scan {
    let best: Scan = { direction: 'asc', skip: from, size: to - from };
    if (from <= MAX_SMALL_LIST) return best; // needs no anchor, so changes can't invalidate it
    const last = Math.min(to, this.end.position);
    for (const anchor of [...this.anchors, this.end]) {
      const isBefore = anchor.position <= from;
      const skip = isBefore ? from - anchor.position : anchor.position - last;
      if (skip < 0 || skip >= best.skip) continue;
      best = isBefore ? { anchor, direction: 'asc', skip, size: to - from } : { anchor, direction: 'desc', skip, size: last - from };
    }
    return best;
  }

  /** Adds a page's bounds as anchors, except beyond the end, where late commits may still insert records. */
  addAnchors(from: number, rows: readonly RowValues[]): void {
    const before = { position: from, id: (rows[0][0] as number) - 1 };
    const last = { position: from + rows.length, id: rows[rows.length - 1][0] as number };
    const isNew = ({ position }: Anchor) => position <= this.end.position && this.anchors.every((known) => known.position !== position);
    this.anchors.unshift(...[before, last].filter(isNew));
    this.anchors.splice(MAX_ANCHORS);
  }
}
