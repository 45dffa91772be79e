import { setImmediate as nextTurn } from 'node:timers/promises';
import { IntegerQueue } from '../../common/integer-queue';
import type { Dialect } from '../dialect';
import type { Sized } from './list-memory';
import { type OrderedList, readInOrder } from './ordered-list';

/** Texts searched before other requests have their turn: at most 5 ms, when all match. */
const TEXTS_PER_TURN = 20_000;
/** No UTF-8 has this byte (RFC 3629, section 3), so no text is found across two others. */
const SEPARATOR = Buffer.of(0xff);
const MAX_BYTES = 32 * 2 ** 20;

/** Without a copy when the texts are too long to be kept: that is remembered, too. */
export interface Texts extends Sized {
  readonly copy?: TextCopy;
}

/** The texts of a column in one buffer, which is searched in a tenth of the time of a database's index (bench/HISTORY.md). */
class TextCopy {
  readonly bytes: number;

  /** `starts` says where each text starts, and where the last ends. */
  constructor(
    private readonly texts: Buffer,
    private readonly starts: Int32Array,
    private readonly ids: Int32Array,
  ) {
    this.bytes = texts.length + starts.byteLength + ids.byteLength;
  }

  /** The ids of the texts that contain one of these, none of them empty, in the copy's order. */
  async find(sought: readonly string[]): Promise<IntegerQueue> {
    const found = new IntegerQueue();
    if (sought.length === 1) {
      await this.findRows(sought[0], (row) => found.add(this.ids[row]));
      return found;
    }
    const rows = new IntegerQueue();
    for (const text of sought) await this.findRows(text, (row) => rows.add(row));
    let last = -1;
    for (const row of (await rows.sort()).toArray()) {
      if (row !== last) found.add(this.ids[row]);
      last = row;
    }
    return found;
  }

  private async findRows(text: string, add: (row: number) => void): Promise<void> {
    const sought = Buffer.from(text);
    for (let first = 0; first < this.ids.length; first += TEXTS_PER_TURN) {
      this.findIn(first, Math.min(first + TEXTS_PER_TURN, this.ids.length), sought, add);
      await nextTurn();
    }
  }

  private findIn(first: number, end: number, sought: Buffer, add: (row: number) => void): void {
    const start = this.starts[first];
    const texts = this.texts.subarray(start, this.starts[end]);
    for (let at = texts.indexOf(sought), row = first; at >= 0; at = texts.indexOf(sought, this.starts[row] - start)) {
      row = this.rowAt(start + at, row, end);
      add(row++);
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

/** Copies the texts that a list is ordered by. */
export async function copyTexts(dialect: Dialect, list: OrderedList): Promise<Texts> {
  const ids = new IntegerQueue();
  const starts = new IntegerQueue();
  const parts: Buffer[] = [];
  let length = 0;
  for await (const rows of readInOrder(dialect, list)) {
    const texts: Buffer[] = [];
    for (const [id, value] of rows) {
      const text = Buffer.from(String(value));
      texts.push(text, SEPARATOR);
      ids.add(Number(id));
      starts.add(length);
      length += text.length + SEPARATOR.length;
    }
    parts.push(Buffer.concat(texts));
    if (length > MAX_BYTES) return { bytes: 1 };
  }
  starts.add(length);
  const copy = new TextCopy(Buffer.concat(parts), starts.toArray(), ids.toArray());
  return { copy, bytes: copy.bytes };
}
