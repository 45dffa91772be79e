/** `position` records of a list have this id or a smaller one. */
export interface Place {
  readonly position: number;
  readonly id: number;
}

export const START: Place = { position: 0, id: 0 };
/** Somebody may have deleted records before a place without telling; whether they have, the next count tells. */
const PLACE_MILLISECONDS = 5_000;
const MOST_PLACES = 500;

export interface Counted {
  /** The last record: its position is the number of them all. */
  last: Place;
  /** How many have come behind the record that was the last at the count before. */
  newer: number;
  deletions: number;
}

/**
 * What is remembered of a list that takes long to count: its last record at the time, and where some of the others stand.
 * A page is read from the nearest of them: bench/RESULTS.md has what it takes from the beginning.
 */
export class LargeList {
  private countedAt = Date.now();
  private counted: Counted;
  private places: (Place & { since: number })[] = [];

  constructor(counted: Counted) {
    this.counted = counted;
  }

  /** What stands behind it has come since. */
  get last(): Place {
    return this.counted.last;
  }

  /** How many records the account had lost then. */
  get deletions(): number {
    return this.counted.deletions;
  }

  get age(): number {
    return Date.now() - this.countedAt;
  }

  /** After a new count. As many before what was the last as there were: then the places stand. */
  setCount(counted: Counted): void {
    const isUnchanged = counted.last.position - counted.newer === this.last.position;
    this.places = isUnchanged ? this.places.map((place) => ({ ...place, since: Date.now() })) : [];
    this.counted = counted;
    this.countedAt = Date.now();
  }

  /** The known place that is nearest to this position, on either side. */
  nearest(position: number): Place {
    const distance = (place: Place) => Math.abs(place.position - position);
    const fresh = this.places.filter(({ since }) => Date.now() - since < PLACE_MILLISECONDS);
    return [START, this.last, ...fresh].reduce((best, place) => (distance(place) < distance(best) ? place : best));
  }

  remember(place: Place): void {
    this.places = [{ ...place, since: Date.now() }, ...this.places.slice(0, MOST_PLACES - 1)];
  }
}
