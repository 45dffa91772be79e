const PAGE_BITS = 15;

/** A set of integers from 0 to 2^31-1: a bit for each where they lie close together, as ids do. */
export class IntegerSet {
  private readonly pages = new Map<number, Int32Array>();

  has(integer: number): boolean {
    const page = this.pages.get(integer >>> PAGE_BITS);
    return page !== undefined && (page[wordOf(integer)] & (1 << (integer & 31))) !== 0;
  }

  /** Whether it was not there yet. */
  add(integer: number): boolean {
    if (this.has(integer)) return false;
    let page = this.pages.get(integer >>> PAGE_BITS);
    if (!page) this.pages.set(integer >>> PAGE_BITS, (page = new Int32Array(1 << (PAGE_BITS - 5))));
    page[wordOf(integer)] |= 1 << (integer & 31);
    return true;
  }
}

function wordOf(integer: number): number {
  return (integer & ((1 << PAGE_BITS) - 1)) >>> 5;
}
