/** `position` records of a list have this id or a smaller one. */
export interface Bookmark {
  readonly position: number;
  readonly id: number;
}

export const START: Bookmark = { position: 0, id: 0 };
const BOOKMARK_MILLISECONDS = 5_000;
const MOST_BOOKMARKS = 100;

/**
 * What is remembered of a list that takes long to count: its last record at the time, and where some of the others stand.
 * A page is read from the nearest of them: bench/RESULTS.md has what it takes from the beginning.
 */
export class LargeList {
  private countedAt = Date.now();
  private bookmarks: (Bookmark & { since: number })[] = [];

  constructor(private counted: Bookmark) {}

  /** What stands behind it has come since. */
  get last(): Bookmark {
    return this.counted;
  }

  get age(): number {
    return Date.now() - this.countedAt;
  }

  setLast(last: Bookmark): void {
    this.counted = last;
    this.countedAt = Date.now();
  }

  /** The known place that is nearest to this position, on either side. */
  nearest(position: number): Bookmark {
    const distance = (bookmark: Bookmark) => Math.abs(bookmark.position - position);
    const fresh = this.bookmarks.filter(({ since }) => Date.now() - since < BOOKMARK_MILLISECONDS);
    return [START, this.counted, ...fresh].reduce((best, bookmark) => (distance(bookmark) < distance(best) ? bookmark : best));
  }

  remember(bookmark: Bookmark): void {
    this.bookmarks = [{ ...bookmark, since: Date.now() }, ...this.bookmarks.slice(0, MOST_BOOKMARKS - 1)];
  }
}
