import { pipeline } from 'node:stream';
import chain from 'stream-chain';
import pick from 'stream-json/filters/pick.js';
import parser, { type Token } from 'stream-json/parser.js';
import streamArray from 'stream-json/streamers/stream-array.js';
import { isNestedTooDeeply } from '../../platform/common/records';
import { TransferError, MAX_RECORD_BYTES, type SourceRecord } from './source';

/** Reads one JSON object per line, skipping empty lines. @throws TransferError */
export async function* readNdjson(texts: AsyncIterable<string>): AsyncGenerator<SourceRecord> {
  let number = 0;
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split(/[\r\n]/);
    rest = lines.pop()!;
    for (const line of lines) if (line.trim() !== '') yield parseLine(line, ++number);
    if (rest.length > MAX_RECORD_BYTES) throw new TransferError(`record ${number + 1} is longer than ${MAX_RECORD_BYTES} bytes.`);
  }
  if (rest.trim() !== '') yield parseLine(rest, ++number);
}

function parseLine(line: string, number: number): SourceRecord {
  try {
    return recordOf(JSON.parse(line), number, () => line);
  } catch {
    return { number, encode: () => line, unreadable: "can't be parsed as JSON" };
  }
}

function recordOf(value: unknown, number: number, encode: () => string): SourceRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { number, encode, unreadable: 'is not a JSON object' };
  return { number, encode, values: value as Record<string, unknown> };
}

/** JSON.stringify recurses: a record with more levels could overflow the stack. */
const MAX_ENCODED_LEVELS = 1_000;

function encodeValue(value: unknown, number: number): string {
  if (isNestedTooDeeply(value, MAX_ENCODED_LEVELS)) throw new TransferError(`record ${number} has more than ${MAX_ENCODED_LEVELS} levels.`);
  return JSON.stringify(value);
}

/** Reads a JSON array, or the array `data` of an object, as in a list response. @throws TransferError */
export async function* readJsonArray(texts: AsyncIterable<string>): AsyncGenerator<SourceRecord> {
  let number = 0;
  let hasArray = false;
  const isArray = (stack: unknown[], { name }: Token) => {
    const isMatch = name === 'startArray' && (stack.length === 0 || (stack.length === 1 && stack[0] === 'data'));
    hasArray ||= isMatch;
    return isMatch;
  };
  async function* limitedTexts() {
    let [last, length] = [0, 0];
    for await (const text of texts) {
      length = number === last ? length + text.length : 0;
      last = number;
      if (length > MAX_RECORD_BYTES) throw new TransferError(`record ${number + 1} is longer than ${MAX_RECORD_BYTES} bytes.`);
      yield text;
    }
  }
  const toRecord = ({ key, value }: { key: number; value: unknown }) => {
    number = key + 1;
    return recordOf(value, number, () => encodeValue(value, key + 1));
  };
  const steps = [parser({ streamValues: false }), pick({ filter: isArray }), streamArray(), toRecord] as const;
  const records = chain(steps, { writableHighWaterMark: 1 }); // otherwise `limitedTexts` would be read ahead of the records that it measures
  pipeline(limitedTexts(), records, () => undefined); // the loop throws its errors
  try {
    yield* records as AsyncIterable<SourceRecord>;
  } catch (error) {
    if (!/^(Parser |filter: )/.test((error as Error).message)) throw error;
    throw new TransferError(`The JSON can't be parsed, somewhere after record ${number}: it is malformed or cut off.`);
  }
  if (!hasArray) throw new TransferError('The file is neither a JSON array nor an object whose data is one.');
}
