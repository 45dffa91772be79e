import type { Dialect } from '../dialect';
import type { Key, OrderedList } from './ordered-list';
import { pieceOf, wholeRun } from './order-pass';
import type { Sized } from './snapshots';
import { TextCopy } from './text-copy';

/** No UTF-8 has this byte (RFC 3629, section 3), so no text is found across two others. */
const SEPARATOR = Buffer.of(0xff);
const CHUNK = 2_000;
const MAX_BYTES = 32 * 2 ** 20;

/** Content of a snapshot; without a copy when the texts are too long to be kept. */
export interface Texts extends Sized {
  readonly copy?: TextCopy;
}

/** Copies the texts that a list is ordered by, from the index alone. */
export async function copyTexts(dialect: Dialect, list: OrderedList): Promise<Texts> {
  const run = wholeRun(dialect, list);
  const ids: number[] = [];
  const starts = [0];
  const parts: Buffer[] = [];
  let after: Key | undefined;
  for (;;) {
    const { sql, values } = pieceOf(dialect, list, { run, after, limit: CHUNK, offset: 0 });
    const rows = await dialect.read(sql, values, list);
    const texts: Buffer[] = [];
    for (const [id, value] of rows) {
      const text = Buffer.from(String(value));
      texts.push(text, SEPARATOR);
      starts.push(starts[ids.length] + text.length + SEPARATOR.length);
      ids.push(Number(id));
      after = { value, id: Number(id) };
    }
    parts.push(Buffer.concat(texts));
    if (starts[ids.length] > MAX_BYTES) return { bytes: 0 };
    if (rows.length < CHUNK) break;
  }
  const copy = new TextCopy(Buffer.concat(parts), Uint32Array.from(starts), Int32Array.from(ids));
  return { copy, bytes: copy.bytes };
}
