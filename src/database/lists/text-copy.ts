import { setImmediate as nextTurn } from 'node:timers/promises';
import { IntegerQueue } from '../../common/integer-queue';

/** Texts searched before other requests have their turn: at most 5 ms, when all match. */
const TEXTS_PER_TURN = 20_000;

/** The texts of a column in one buffer, which is searched in a tenth of the time of a database's index (bench/HISTORY.md). */
export class TextCopy {
  readonly bytes: number;

  /** `starts` says where each text starts, and where the last ends. */
  constructor(
    private readonly texts: Buffer,
    private readonly starts: Uint32Array,
    private readonly ids: Int32Array,
  ) {
    this.bytes = texts.length + starts.byteLength + ids.byteLength;
  }

  /** The ids of the texts that contain this one, which isn't empty, in the copy's order. */
  async find(text: string): Promise<IntegerQueue> {
    const sought = Buffer.from(text);
    const found = new IntegerQueue();
    for (let first = 0; first < this.ids.length; first += TEXTS_PER_TURN) {
      this.findIn(first, Math.min(first + TEXTS_PER_TURN, this.ids.length), sought, found);
      await nextTurn();
    }
    return found;
  }

  private findIn(first: number, end: number, sought: Buffer, found: IntegerQueue): void {
    const start = this.starts[first];
    const texts = this.texts.subarray(start, this.starts[end]);
    for (let at = texts.indexOf(sought), row = first; at >= 0; at = texts.indexOf(sought, this.starts[row] - start)) {
      row = this.rowAt(start + at, row, end);
      found.add(this.ids[row++]);
    }
  }

  /** The text that this byte belongs to, by bisection. */
  private rowAt(position: number, low: number, high: number): number {
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle] <= position) low = middle;
      else high = middle;
    }
    return low;
  }
}
