import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

const MIN_CAPACITY = 1_024;
/** Integers sorted between yields to the event loop; a block takes 5 ms. */
const SORT_BLOCK = 2 ** 17;

/** A queue of 32-bit integers. Takes 4 to 8 bytes per integer; an array of rows would take about 100 per row. */
export class IntegerQueue {
  private start = 0;
  private end: number;

  /** Takes ownership of the array. */
  constructor(private integers = new Int32Array(0)) {
    this.end = integers.length;
  }

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

  toArray(): Int32Array<ArrayBuffer> {
    return this.integers.slice(this.start, this.end);
  }

  /** Copies the integers at positions `from` up to, but excluding, `to`. */
  slice(from: number, to: number): number[] {
    return Array.from(this.integers.subarray(Math.min(this.start + from, this.end), Math.min(this.start + to, this.end)));
  }

  /** Sorts in blocks, yielding between them: sorting a million integers at once takes 60 ms. */
  async sort(): Promise<this> {
    let from = this.integers.subarray(this.start, this.end);
    for (let start = 0; start < from.length; start += SORT_BLOCK) {
      from.subarray(start, start + SORT_BLOCK).sort();
      await yieldToEventLoop();
    }
    for (let width = SORT_BLOCK; width < from.length; width *= 2) {
      const merged = new Int32Array(from.length);
      for (let start = 0; start < from.length; start += 2 * width) {
        merge(from.subarray(start, start + width), from.subarray(start + width, start + 2 * width), merged.subarray(start));
        await yieldToEventLoop();
      }
      from = merged;
    }
    [this.integers, this.start, this.end] = [from, 0, from.length];
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

  /** Reallocates the array to twice the remaining length. */
  private resize(): void {
    const remaining = this.integers.subarray(this.start, this.end);
    this.integers = new Int32Array(Math.max(MIN_CAPACITY, 2 * remaining.length));
    this.integers.set(remaining);
    [this.start, this.end] = [0, remaining.length];
  }
}

function merge(left: Int32Array, right: Int32Array, merged: Int32Array): void {
  let [l, r] = [0, 0];
  for (let i = 0; i < left.length + right.length; i++) {
    merged[i] = r === right.length || (l < left.length && left[l] <= right[r]) ? left[l++] : right[r++];
  }
}
