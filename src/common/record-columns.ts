/** Stored value of a column. */
export type ColumnValue = string | number | null;

/** A fallback that is the time of insertion. */
export const NOW = Symbol('now');

/** A column of an imported or exported file. */
export interface RecordColumn {
  /** In the file and in the table. */
  name: string;
  /** `expected` ends the sentence «<name> must be …». */
  type: { expected: string; parse(text: string): string | number | boolean | undefined };
  /** JSON type accepted besides a string. */
  json?: 'number' | 'boolean' | 'object';
  /** Foreign key, within the account. */
  reference?: { table: string; id: string };
  /** Makes the column optional. */
  fallback?: ColumnValue | typeof NOW;
  /** Unique across accounts; identifies a record that has no id. */
  isUnique?: boolean;
  /** Computes the column `<name>_folded`. */
  fold?: (text: string) => string;
}

/** File layout of a table's records. */
export interface RecordColumns {
  /** Table, and name of the collection in commands. */
  name: string;
  id: { name: string; column: string };
  /** All fields of a record, in order; those without a column come from a relation and are ignored by import. */
  fields: readonly string[];
  /** Without the id and the account. */
  columns: readonly RecordColumn[];
}
