/** `position` records of a list have this id or a smaller one. */
export interface Anchor {
  readonly position: number;
  readonly id: number;
}

export const START: Anchor = { position: 0, id: 0 };
const MAX_PLACES = 500;

/**
 * What is remembered of a list that takes long to count: one of its last records at the time, and where some of the others
 * stand. A page is read from the nearest of them: bench/RESULTS.md has what it takes from the beginning. It holds as long
 * as the account deletes nothing.
 */
export class CachedKeyset {
  private readonly countedAt = performance.now();
  private places: Anchor[] = [];

  constructor(
    /** All that stands behind it is counted each time. */
    readonly end: Anchor,
    /** How many records the list had lost then. */
    readonly deletions: number,
  ) {}

  get age(): number {
    return performance.now() - this.countedAt;
  }

  /** Takes over what an older count found, of which nothing has changed. */
  goOnFrom(older: CachedKeyset): void {
    this.places = older.places;
  }

  /** The known place that is nearest to this position, on either side. */
  nearest(position: number): Anchor {
    const distance = (place: Anchor) => Math.abs(place.position - position);
    return [START, this.end, ...this.places].reduce((best, place) => (distance(place) < distance(best) ? place : best));
  }

  /** But not behind the end, where records may yet come in between. */
  remember(place: Anchor): void {
    if (place.position > this.end.position) return;
    const others = this.places.filter(({ position }) => position !== place.position);
    this.places = [place, ...others.slice(0, MAX_PLACES - 1)];
  }
}
