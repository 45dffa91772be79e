/** Integers of 32 bits in a row that grows: 4 bytes each, where an array of rows takes a hundred. */
export class IntegerList {
  private integers = new Int32Array(1_024);
  private length = 0;

  add(integer: number): void {
    if (this.length === this.integers.length) {
      const longer = new Int32Array(2 * this.length);
      longer.set(this.integers);
      this.integers = longer;
    }
    this.integers[this.length++] = integer;
  }

  toArray(): Int32Array {
    return this.integers.subarray(0, this.length);
  }
}
