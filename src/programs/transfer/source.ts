import { isUtf8 } from 'node:buffer';

/** A record as read from a file. */
export interface SourceRecord {
  /** First line of the record, counted from 1. */
  line: number;
  /** The record's text without its last `\n`, for the file of bad records. A Buffer if it isn't UTF-8, or CSV that can't be parsed. */
  original: string | Buffer;
  /** By column name; absent when the record is unreadable. */
  values?: Record<string, unknown>;
  /** Why it is unreadable. */
  unreadable?: string;
}

/** A file that can't be imported, or an import that was cut short; its message is for the operator. */
export class FileError extends Error {}

/** A longer record probably has an unclosed double quote or brace. */
export const MAX_RECORD_BYTES = 1_024 * 1_024;

export const NOT_UTF8 = 'is not UTF-8';

/** Quotes a name from a file for a message: shortened, and without terminal control characters. */
export function printable(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name).replace(/[^\P{C}]/gu, '?');
}

export const FORMATS = ['csv', 'ndjson', 'json'] as const;

export type Format = (typeof FORMATS)[number];

const EXTENSIONS: Record<string, Format> = { csv: 'csv', tsv: 'csv', ndjson: 'ndjson', jsonl: 'ndjson', json: 'json' };

/** The format for a file's extension, ignoring `.gz`. */
export function formatOf(file: string): Format | undefined {
  const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(file)?.[1] ?? '';
  return EXTENSIONS[extension.toLowerCase()];
}

/** Default file for bad records: `agenda.csv.gz` → `agenda.bad.csv`, `agenda.txt` → `agenda.txt.bad.csv`. */
export function badFileName(file: string, format: Format): string {
  const base = file.replace(/\.gz$/i, '');
  return `${formatOf(base) ? base.replace(/\.[a-z]+$/i, '') : base}.bad.${format}`;
}

/** A line without its line end, except the `\r` of CR LF; `bytes` is set only when it is not UTF-8. */
export interface Line {
  number: number;
  text: string;
  bytes?: Buffer;
}

/** Splits a file into lines, one batch per chunk read. Lines end as the first one does: in LF, CR LF or CR. */
export async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let rest: Buffer = Buffer.alloc(0);
  let number = 1;
  let end: '\n' | '\r' | undefined;
  for await (const chunk of input) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    end ??= lineEnd(bytes);
    const length = end ? bytes.lastIndexOf(end) : -1;
    rest = bytes.subarray(length + 1);
    if (rest.length > MAX_RECORD_BYTES) throw new FileError(`A line is longer than ${MAX_RECORD_BYTES} bytes.`);
    if (!end || length === -1) continue;
    const lines = split(bytes.subarray(0, length), end, number);
    number += lines.length;
    yield lines;
  }
  if (rest.length > 0) yield split(rest, end ?? '\n', number);
}

/** Undefined if the first line goes on, or if a `\n` may follow its `\r`. */
function lineEnd(bytes: Buffer): '\n' | '\r' | undefined {
  const [found] = /\r?\n|\r(?=[^])/.exec(bytes.toString('latin1')) ?? [];
  return found === '\r\n' ? '\n' : (found as '\n' | '\r' | undefined);
}

/** Decodes each line by itself if not all are UTF-8; latin1 preserves their bytes. */
function split(bytes: Buffer, end: string, first: number): Line[] {
  const isText = isUtf8(bytes);
  const lines = bytes.toString(isText ? 'utf8' : 'latin1').split(end);
  if (first === 1) lines[0] = lines[0].replace(isText ? /^\uFEFF/ : /^\xEF\xBB\xBF/, '');
  return lines.map((line, index): Line => {
    if (isText) return { number: first + index, text: line };
    const original = Buffer.from(line, 'latin1');
    return { number: first + index, text: original.toString(), bytes: isUtf8(original) ? undefined : original };
  });
}
