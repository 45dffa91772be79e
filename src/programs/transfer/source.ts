export interface SourceRecord {
  /** Counted from 1, without the header and empty lines. */
  number: number;
  /** The record's text without a line end, for the file of bad records. */
  encode: () => string;
  /** What precedes the records of a CSV file. */
  header?: string;
  /** By column name; absent when the record is unreadable. */
  values?: Record<string, unknown>;
  /** Why the record is unreadable. */
  unreadable?: string;
}

/** A file that can't be imported, or an import that was cut short; its message is for the operator. */
export class TransferError extends Error {}

/** A longer record probably has an unclosed double quote or brace. */
export const MAX_RECORD_BYTES = 1_024 * 1_024;

/** Quotes a name from a file for a message: shortened, and without terminal control characters. */
export function printable(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name).replace(/[^\P{C}]/gu, '?');
}

export const FORMATS = ['csv', 'ndjson', 'json'] as const;

export type Format = (typeof FORMATS)[number];

const FORMAT_BY_EXTENSION: Record<string, Format> = { csv: 'csv', tsv: 'csv', ndjson: 'ndjson', jsonl: 'ndjson', json: 'json' };

/** The format for a file's extension, ignoring `.gz`. */
export function formatOf(file: string): Format | undefined {
  const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(file)?.[1] ?? '';
  return FORMAT_BY_EXTENSION[extension.toLowerCase()];
}

/** Default file for bad records: `agenda.csv.gz` → `agenda.bad.csv`, `agenda.txt` → `agenda.txt.bad.csv`. */
export function badFileName(file: string, format: Format): string {
  const base = file.replace(/\.gz$/i, '');
  return `${formatOf(base) ? base.replace(/\.[a-z]+$/i, '') : base}.bad.${format}`;
}
