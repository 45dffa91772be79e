/** `position` is the number of records with an id up to and including `id`. */
export interface Anchor {
  readonly position: number;
  readonly id: number;
}

export const START: Anchor = { position: 0, id: 0 };

/** What tells one count of a list from another. */
export type KeysetState = Pick<Keyset, 'end' | 'deletions' | 'marker' | 'countedAt'>;

const MAX_ANCHORS = 500;

/**
 * The count of a large list, and anchors to read its pages from: reading from the start is slow (bench/HISTORY.md). Valid until the
 * account deletes a record.
 */
export class Keyset {
  constructor(
    /** One of the last records; those after it are counted each time. */
    readonly end: Anchor,
    /** The list's deletion counter at the time of the count. */
    readonly deletions: number,
    /** The table's change marker, read before the count. */
    readonly marker?: string,
    /** When the count began, by the monotonic clock. */
    readonly countedAt = performance.now(),
    private anchors: Anchor[] = [],
    private provenAt = countedAt,
  ) {}

  get state(): KeysetState {
    const { end, deletions, marker, countedAt } = this;
    return { end, deletions, marker, countedAt };
  }

  /** Milliseconds since it was counted, or found to be still right. */
  get age(): number {
    return performance.now() - this.provenAt;
  }

  /** Nobody had written to the table at this time since it was counted. */
  renew(at: number): void {
    this.provenAt = at;
  }

  /** Whether it is that count, or nobody has written to the table between the two. */
  isSameAs({ end, deletions, marker, countedAt }: KeysetState): boolean {
    if (countedAt === this.countedAt) return true;
    return marker !== undefined && marker === this.marker && end.id === this.end.id && deletions === this.deletions;
  }

  /** A newer count of this list; keeps the anchors if no record before the old end was inserted or deleted. */
  recounted({ end, deletions, marker, countedAt }: KeysetState, added: number): Keyset {
    const isUnchanged = end.position - added === this.end.position && deletions === this.deletions;
    return new Keyset(end, deletions, marker, countedAt, isUnchanged ? this.anchors : []);
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
