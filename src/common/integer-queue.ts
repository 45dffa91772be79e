const MIN_CAPACITY = 1_024;

/** A queue of 32-bit integers, 4 to 8 bytes each; an array of rows takes about 100 bytes each. */
export class IntegerQueue {
  private integers = new Int32Array(MIN_CAPACITY);
  private start = 0;
  private end = 0;

  get length(): number {
    return this.end - this.start;
  }

  add(integer: number): void {
    if (this.end === this.integers.length) this.resize();
    this.integers[this.end++] = integer;
  }

  /** Removes and returns the first `count`, or all if there are fewer. */
  take(count: number): number[] {
    const taken = Array.from(this.integers.subarray(this.start, Math.min(this.start + count, this.end)));
    this.start += taken.length;
    if (this.start > this.integers.length / 2) this.resize();
    return taken;
  }

  /** Copies those from one position to before another, or to the last. */
  slice(from: number, to: number): number[] {
    return Array.from(this.integers.subarray(Math.min(this.start + from, this.end), Math.min(this.start + to, this.end)));
  }

  sort(): this {
    this.integers.subarray(this.start, this.end).sort();
    return this;
  }

  reverse(): this {
    this.integers.subarray(this.start, this.end).reverse();
    return this;
  }

  /** Removes everything up to and including the integer. Returns false and removes nothing when it is absent. */
  dropThrough(integer: number): boolean {
    const index = this.integers.subarray(this.start, this.end).indexOf(integer);
    this.start += index + 1;
    return index >= 0;
  }

  /** To twice the number of integers left. */
  private resize(): void {
    const left = this.integers.subarray(this.start, this.end);
    this.integers = new Int32Array(Math.max(MIN_CAPACITY, 2 * left.length));
    this.integers.set(left);
    [this.start, this.end] = [0, left.length];
  }
}
