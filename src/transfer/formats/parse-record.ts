import { NOT_UTF8, type SourceRecord } from './source-record';

/** A record that is written in JSON; bytes are those that are no UTF-8. */
export function parseRecord(line: number, original: string | Buffer): SourceRecord {
  if (typeof original !== 'string') return { line, original, unreadable: NOT_UTF8 };
  try {
    const values: unknown = JSON.parse(original);
    if (typeof values === 'object' && values !== null && !Array.isArray(values)) {
      return { line, original, values: values as Record<string, unknown> };
    }
    return { line, original, unreadable: 'is not a JSON object' };
  } catch {
    return { line, original, unreadable: 'can’t be read as JSON' };
  }
}
