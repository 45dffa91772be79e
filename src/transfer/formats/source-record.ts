/** A record as it stands in a file. */
export interface SourceRecord {
  /** Where it begins, counted from 1. */
  line: number;
  /** What it can be written as again, without the end of its line: bytes when they are no UTF-8. */
  original: string | Buffer;
  /** By the names of the file; absent when it can't be read at all. */
  values?: Record<string, unknown>;
  /** Why it can't be read. */
  unreadable?: string;
}

/** The longest record that is read: what is longer is a quotation mark or a brace that was left open. */
export const MAX_RECORD_BYTES = 1_024 * 1_024;

export const NOT_UTF8 = 'is not UTF-8';
