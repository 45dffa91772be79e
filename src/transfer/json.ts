import { isUtf8 } from 'node:buffer';
import { FileError, MAX_RECORD_BYTES, NOT_UTF8, readLines, type SourceRecord } from './source';

const [NEWLINE, QUOTE, BACKSLASH, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('\n"\\,[]{}');
const WHITESPACE = new Set(Buffer.from(' \t\r\n\uFEFF'));

/** Reads one JSON object per line, skipping empty lines. */
export async function* readNdjson(input: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord[]> {
  for await (const lines of readLines(input)) {
    yield lines.filter(({ text }) => text.trim() !== '').map(({ number, text, bytes }) => parseRecord(number, bytes ?? text));
  }
}

/**
 * Reads a JSON array element by element: a byte scan finds where each ends, and JSON.parse parses it. A malformed element
 * doesn't affect the others as long as its quotes and brackets balance, and each keeps its line and text. stream-json 3.8 stops
 * at the first malformed element, keeps neither line nor text, and an import has 0.55 of the rate.
 */
export async function* readJsonArray(input: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord[]> {
  const scanner = new ArrayScanner();
  for await (const chunk of input) yield scanner.scan(chunk);
  scanner.end();
}

class ArrayScanner {
  private rest: Buffer = Buffer.alloc(0);
  private line = 1;
  /** First line of the current element; 0 before it begins. */
  private recordLine = 0;
  private state: 'before' | 'inside' | 'after' = 'before';
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  private hasRecords = false;

  scan(chunk: Buffer): SourceRecord[] {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    const records: SourceRecord[] = [];
    let start = 0;
    for (let at = this.rest.length; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === NEWLINE) this.line++;
      if (this.state !== 'inside') this.enter(byte);
      else if (this.endsRecord(byte)) this.push(bytes.subarray(start, at), byte, records);
      else continue;
      start = at + 1;
    }
    this.rest = bytes.subarray(start);
    if (this.rest.length <= MAX_RECORD_BYTES) return records;
    throw new FileError(`line ${this.recordLine}: the record is longer than ${MAX_RECORD_BYTES} bytes.`);
  }

  /** @throws FileError when the array is not closed */
  end(): void {
    if (this.state === 'before') throw new FileError('The file is empty: a JSON array is required.');
    if (this.state === 'inside') throw new FileError('The JSON array is not closed: truncated file, or unclosed string or brace.');
  }

  private enter(byte: number): void {
    if (WHITESPACE.has(byte)) return;
    if (this.state === 'after') throw new FileError(`line ${this.line}: text after the JSON array.`);
    if (byte !== OPEN_ARRAY) throw new FileError('The file is not a JSON array.');
    this.state = 'inside';
  }

  private endsRecord(byte: number): boolean {
    if (this.isInString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.isInString = false;
      return false;
    }
    if (this.depth === 0 && (byte === COMMA || byte === CLOSE_ARRAY)) return true;
    if (this.recordLine === 0 && !WHITESPACE.has(byte)) this.recordLine = this.line;
    if (byte === QUOTE) this.isInString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.depth++;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && this.depth > 0) this.depth--;
    return false;
  }

  private push(bytes: Buffer, end: number, records: SourceRecord[]): void {
    if (end === CLOSE_ARRAY) this.state = 'after';
    if (this.recordLine === 0 && !this.hasRecords && end === CLOSE_ARRAY) return; // []
    records.push(parseRecord(this.recordLine || this.line, isUtf8(bytes) ? bytes.toString().trim() : Buffer.from(bytes)));
    this.hasRecords = true;
    this.recordLine = 0;
  }
}

/** `original` is a Buffer when it is not UTF-8. */
function parseRecord(line: number, original: string | Buffer): SourceRecord {
  if (typeof original !== 'string') return { line, original, unreadable: NOT_UTF8 };
  try {
    const values: unknown = JSON.parse(original);
    if (typeof values !== 'object' || values === null || Array.isArray(values))
      return { line, original, unreadable: 'is not a JSON object' };
    return { line, original, values: values as Record<string, unknown> };
  } catch {
    return { line, original, unreadable: "can't be parsed as JSON" };
  }
}
