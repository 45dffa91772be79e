/** `position` is the number of records with an id up to and including `id`. */
export interface Anchor {
  readonly position: number;
  readonly id: number;
}

export const START: Anchor = { position: 0, id: 0 };
const MAX_ANCHORS = 500;

/**
 * The count of a large list, and anchors to read its pages from: reading from the start is slow (bench/RESULTS.md). Valid until the
 * account deletes a record.
 */
export class Keyset {
  private provenAt = performance.now();

  constructor(
    /** One of the last records; those after it are counted each time. */
    readonly end: Anchor,
    /** The list's deletion counter at the time of the count. */
    readonly deletions: number,
    /** Of the table, before the count. */
    readonly marker?: string,
    private anchors: Anchor[] = [],
  ) {}

  /** Since it was counted, or found to be still right. */
  get age(): number {
    return performance.now() - this.provenAt;
  }

  /** Nobody has written to the table since it was counted. */
  renew(): void {
    this.provenAt = performance.now();
  }

  /** A newer count of this list; keeps the anchors if no record before the old end was inserted or deleted. */
  recounted(end: Anchor, deletions: number, added: number, marker?: string): Keyset {
    const isUnchanged = end.position - added === this.end.position && deletions === this.deletions;
    return new Keyset(end, deletions, marker, isUnchanged ? this.anchors : []);
  }

  /** The nearest anchor, in either direction. */
  nearest(position: number): Anchor {
    const distance = (anchor: Anchor) => Math.abs(anchor.position - position);
    return [START, this.end, ...this.anchors].reduce((best, anchor) => (distance(anchor) < distance(best) ? anchor : best));
  }

  /** Ignores anchors after the end: records may still be inserted before those. */
  add(anchor: Anchor): void {
    if (anchor.position > this.end.position) return;
    const others = this.anchors.filter(({ position }) => position !== anchor.position);
    this.anchors = [anchor, ...others.slice(0, MAX_ANCHORS - 1)];
  }
}
