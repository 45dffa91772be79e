/** `position` records of a list have this id or a smaller one. */
export interface Place {
  readonly position: number;
  readonly id: number;
}

export const START: Place = { position: 0, id: 0 };
/** Another process may have deleted records before a place; whether it has, the next count tells. */
const PLACE_MILLISECONDS = 5_000;
const MOST_PLACES = 500;

/**
 * What is remembered of a list that takes long to count: its last record at the time, and where some of the others stand.
 * A page is read from the nearest of them: bench/RESULTS.md has what it takes from the beginning.
 */
export class LargeList {
  private countedAt = Date.now();
  private places: (Place & { since: number })[] = [];

  constructor(private counted: Place) {}

  /** What stands behind it has come since. */
  get last(): Place {
    return this.counted;
  }

  get age(): number {
    return Date.now() - this.countedAt;
  }

  /** After a new count, of which so many have come behind the last. As many before it as there were: then the places stand. */
  setLast(last: Place, newer: number): void {
    const isUnchanged = last.position - newer === this.counted.position;
    this.places = isUnchanged ? this.places.map((place) => ({ ...place, since: Date.now() })) : [];
    this.counted = last;
    this.countedAt = Date.now();
  }

  /** The known place that is nearest to this position, on either side. */
  nearest(position: number): Place {
    const distance = (place: Place) => Math.abs(place.position - position);
    const fresh = this.places.filter(({ since }) => Date.now() - since < PLACE_MILLISECONDS);
    return [START, this.counted, ...fresh].reduce((best, place) => (distance(place) < distance(best) ? place : best));
  }

  remember(place: Place): void {
    this.places = [{ ...place, since: Date.now() }, ...this.places.slice(0, MOST_PLACES - 1)];
  }
}
