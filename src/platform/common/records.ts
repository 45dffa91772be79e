import { hash } from 'node:crypto';
import type { Parser } from './field-types';

export interface PageRequest {
  /** 1-based. */
  readonly page: number;
  /** Records per page. */
  readonly size: number;
}

/** A page of a list, which the pagination interceptor wraps in the envelope. `total`: records in the whole list. */
export class Page<T> {
  constructor(
    readonly records: T[],
    readonly total: number,
  ) {}

  withRecords<R>(records: R[]): Page<R> {
    return new Page(records, this.total);
  }
}

/** Records in the order of a log, and the cursor after which the next page begins. */
export class CursorPage<T> {
  constructor(
    readonly records: readonly T[],
    readonly next: string,
    readonly hasMore: boolean,
  ) {}
}

/** A record with a version that identifies its state. */
export interface Versioned<R> {
  record: R;
  version: string;
}

/** A hash of the content, so no counter is stored. 132 bits rule out collisions. */
export function versionOf(content: unknown): string {
  return hash('sha256', JSON.stringify(content), 'base64url').slice(0, 22);
}

const FIELDS_METADATA_KEY = 'frontdesk:record-fields';

/** Appends a field to a record class. */
export function addRecordField(prototype: object, name: string): void {
  Reflect.defineMetadata(FIELDS_METADATA_KEY, [...recordFields({ prototype }), name], prototype);
}

/** The fields of a record class, in declaration order. */
export function recordFields(record: { prototype: unknown }): readonly string[] {
  return (Reflect.getMetadata(FIELDS_METADATA_KEY, record.prototype as object) as string[] | undefined) ?? [];
}

/** Stored value of a column. */
export type ColumnValue = string | number | null;

/** A column's `fallback` that stands for the time of insertion. */
export const NOW = Symbol('now');

/** A column of an imported or exported file. */
export interface RecordColumn {
  /** The column's name in both the file and the table. */
  name: string;
  type: Parser<string | number | boolean>;
  /** JSON type accepted in addition to a string. */
  json?: 'number' | 'boolean' | 'object';
  /** A foreign key to a record of the same account. */
  reference?: { table: string; id: string };
  /** If the file lacks the column, an update sets it to the current time. */
  isUpdateTime?: boolean;
  /** Value for a new record when the file has none; makes the column optional. */
  fallback?: ColumnValue | typeof NOW;
  /** Computes the column `<name>_folded`. */
  fold?: (text: string) => string;
}

/** File layout of a table's records. */
export interface RecordColumns {
  /** The table, and the collection's name in commands. */
  name: string;
  id: { name: string; column: string };
  /** All fields of a record, in order. Those without a column come from a relation; import ignores them. */
  fields: readonly string[];
  /** Excludes the id and the account. */
  columns: readonly RecordColumn[];
}

/** The limit of MySQL's JSON type. Some 4,000 levels would overflow the stack in JSON.stringify, so that no list with the record could be sent. */
export const MAX_JSON_LEVELS = 100;

export function isNestedTooDeeply(value: unknown, levels = MAX_JSON_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isNestedTooDeeply(each, levels - 1));
}
