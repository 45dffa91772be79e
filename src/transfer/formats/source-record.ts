/** A record as read from a file. */
export interface SourceRecord {
  /** First line of the record, counted from 1. */
  line: number;
  /** Its text without the line ending, for the file of bad records; a Buffer when it is not UTF-8. */
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
