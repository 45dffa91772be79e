const BLOCK = 8_192;

/**
 * A queue of 32-bit integers: 4 bytes each, where an array of rows takes a hundred. The memory of those that are taken is freed
 * block by block.
 */
export class IntegerList {
  private readonly blocks: Int32Array[] = [];
  /** Where the integers begin in the first block, and where they end in the last. */
  private start = 0;
  private end = BLOCK;

  get length(): number {
    return this.blocks.length * BLOCK - this.start - (BLOCK - this.end);
  }

  add(integer: number): void {
    if (this.end === BLOCK) {
      this.blocks.push(new Int32Array(BLOCK));
      this.end = 0;
    }
    this.blocks[this.blocks.length - 1][this.end++] = integer;
  }

  /** Takes the first ones, at most so many. */
  take(count: number): number[] {
    return Array.from({ length: Math.min(count, this.length) }, () => this.shift());
  }

  /** Takes all up to and with this one. Returns false, and takes none, when it is not there. */
  dropThrough(integer: number): boolean {
    for (const [index, block] of this.blocks.entries()) {
      const from = index === 0 ? this.start : 0;
      const to = index === this.blocks.length - 1 ? this.end : BLOCK;
      const found = block.subarray(0, to).indexOf(integer, from);
      if (found < 0) continue;
      this.take(index * BLOCK + found - this.start + 1);
      return true;
    }
    return false;
  }

  private shift(): number {
    const integer = this.blocks[0][this.start++];
    if (this.start === BLOCK) {
      this.blocks.shift();
      this.start = 0;
    }
    return integer;
  }
}
