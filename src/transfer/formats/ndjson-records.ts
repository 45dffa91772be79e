import { readLines } from './lines';
import { parseRecord } from './parse-record';
import type { SourceRecord } from './source-record';

/** Reads a JSON object a line; empty lines are passed over. */
export async function* readNdjson(input: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord[]> {
  for await (const lines of readLines(input)) {
    yield lines.filter(({ text }) => text.trim() !== '').map(({ number, text, bytes }) => parseRecord(number, bytes ?? text));
  }
}
