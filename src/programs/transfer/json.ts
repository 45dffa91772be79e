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

/** The beginning of the member that a list's answer has its records in. */
const DATA = /^\s*"data"\s*:\s*\[/;
const DATA_BYTES = 1_024;
const NO_ARRAY = 'The file is neither a JSON array nor an object with one as data.';

/**
 * Reads a JSON array, or the one that is an object's member `data`, element by element: a byte scan finds where each ends, and
 * JSON.parse parses it. A malformed element doesn't affect the others as long as its quotes and brackets balance, and each keeps
 * its line and text. stream-json 3.8 stops at the first malformed element, keeps neither line nor text, and an import has 0.55
 * of the rate.
 */
export async function* readJsonArray(input: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord[]> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  let count = 0;
  let state: 'before' | 'members' | 'inside' | 'other members' | 'after' = 'before';
  let next: 'other members' | 'after' = 'after';
  for await (const chunk of input) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const records: SourceRecord[] = [];
    let start = 0;
    for (let at = 0; at < bytes.length; start = ++at) {
      if (state === 'before' || state === 'after') {
        if (bytes[at] === NEWLINE) line++;
        if (WHITESPACE.has(bytes[at])) continue;
        if (state === 'after') throw new FileError(`line ${line}: text after the JSON array.`);
        if (bytes[at] !== OPEN_ARRAY && bytes[at] !== OPEN_OBJECT) throw new FileError(NO_ARRAY);
        [state, next] = bytes[at] === OPEN_ARRAY ? ['inside', 'after'] : ['members', 'other members'];
        continue;
      }
      const [data] = (state === 'members' && DATA.exec(bytes.toString('latin1', start, start + DATA_BYTES))) || [];
      if (data !== undefined) {
        state = 'inside';
        line += newlinesIn(data);
        at += data.length - 1;
        continue;
      }
      const isRecord: boolean = state === 'inside';
      at = endOfElement(bytes, start, isRecord ? CLOSE_ARRAY : CLOSE_OBJECT);
      if (at === bytes.length) break;
      const isLast: boolean = bytes[at] !== COMMA;
      const element = bytes.subarray(start, at);
      const text = element.toString();
      const blank = text.length - text.trimStart().length;
      line += newlinesIn(text.slice(0, blank));
      const isEmptyArray = isLast && count === 0 && blank === text.length;
      if (isRecord && !isEmptyArray) records.push(parseRecord(line, isUtf8(element) ? text.trim() : Buffer.from(element)));
      if (!isRecord && !isJson(`{${text}}`)) throw new FileError(`line ${line}: the JSON object can't be parsed.`);
      line += newlinesIn(text.slice(blank));
      if (isRecord) count++;
      if (isLast && state === 'members') throw new FileError(NO_ARRAY);
      if (isLast) state = isRecord ? next : 'after';
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_RECORD_BYTES) throw new FileError(`line ${line}: the record is longer than ${MAX_RECORD_BYTES} bytes.`);
    yield records;
  }
  if (state === 'before') throw new FileError('The file is empty: a JSON array is required.');
  if (state !== 'after') throw new FileError('The JSON array is not closed: truncated file, or unclosed string or brace.');
}

/** Index of the comma or closing bracket after an element or member, or the length of the bytes if they end before it. */
function endOfElement(bytes: Buffer, start: number, close: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) at += Number(byte === BACKSLASH);
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if (depth > 0) depth -= Number(byte === CLOSE_OBJECT || byte === CLOSE_ARRAY);
    else if (byte === COMMA || byte === close) return at;
  }
  return bytes.length;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function newlinesIn(text: string): number {
  return text.split('\n').length - 1;
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
