import { isUtf8 } from 'node:buffer';
import { FileError } from '../file-error';
import { MAX_RECORD_BYTES } from './source-record';

/** A line without its `\n`; its bytes, too, when they are no UTF-8. */
export interface Line {
  number: number;
  text: string;
  bytes?: Buffer;
}

const NEWLINE = 10;
const BOM = '\uFEFF';

/** The lines of a text, many at a time: what is all UTF-8 is decoded and cut at one go. */
export async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let rest: Buffer = Buffer.alloc(0);
  let number = 1;
  for await (const chunk of input) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const end = bytes.lastIndexOf(NEWLINE);
    rest = bytes.subarray(end + 1);
    if (rest.length > MAX_RECORD_BYTES) throw new FileError(`A line is longer than ${MAX_RECORD_BYTES} bytes.`);
    if (end === -1) continue;
    const lines = cut(bytes.subarray(0, end), number);
    number += lines.length;
    yield lines;
  }
  if (rest.length > 0) yield cut(rest, number);
}

function cut(bytes: Buffer, first: number): Line[] {
  const lines = isUtf8(bytes) ? bytes.toString().split('\n').map(textLine(first)) : cutBytes(bytes, first);
  if (first === 1 && lines[0].text.startsWith(BOM)) lines[0].text = lines[0].text.slice(1);
  return lines;
}

function textLine(first: number) {
  return (text: string, index: number): Line => ({ number: first + index, text });
}

function cutBytes(bytes: Buffer, first: number): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const line = bytes.subarray(start, end);
    lines.push({ number: first + lines.length, text: line.toString(), bytes: isUtf8(line) ? undefined : Buffer.from(line) });
    start = end + 1;
  }
  return lines;
}
