import { isUtf8 } from 'node:buffer';
import { FileError, MAX_RECORD_BYTES } from './source-record';

/** A line without its `\n`; `bytes` is set only when it is not UTF-8. */
export interface Line {
  number: number;
  text: string;
  bytes?: Buffer;
}

/** Splits a file into lines, one batch per chunk read. */
export async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let rest: Buffer = Buffer.alloc(0);
  let number = 1;
  for await (const chunk of input) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const end = bytes.lastIndexOf('\n');
    rest = bytes.subarray(end + 1);
    if (rest.length > MAX_RECORD_BYTES) throw new FileError(`A line is longer than ${MAX_RECORD_BYTES} bytes.`);
    if (end === -1) continue;
    const lines = split(bytes.subarray(0, end), number);
    number += lines.length;
    yield lines;
  }
  if (rest.length > 0) yield split(rest, number);
}

function split(bytes: Buffer, first: number): Line[] {
  const isText = isUtf8(bytes);
  const parts = bytes.toString(isText ? 'utf8' : 'latin1').split('\n');
  const lines = parts.map((part, index) => (isText ? { number: first + index, text: part } : decode(part, first + index)));
  if (first === 1) lines[0].text = lines[0].text.replace(/^\uFEFF/, '');
  return lines;
}

/** Decodes a line of a chunk that isn't all UTF-8; latin1 preserved its bytes. */
function decode(latin1: string, number: number): Line {
  const bytes = Buffer.from(latin1, 'latin1');
  return { number, text: bytes.toString(), bytes: isUtf8(bytes) ? undefined : bytes };
}
