/** What a value of a file may be, as the database keeps it. */
export type ColumnValue = string | number | null;

/** Stands for the moment at which a record is inserted. */
export const NOW = Symbol('now');

/** A column of a file of records: one that has a fallback may be left out. */
export interface RecordColumn {
  /** In a file and in the table. */
  name: string;
  /** What it takes, and how that is read. Ends the sentence «<name> must be …». */
  type: { expected: string; parse(text: string): string | number | boolean | undefined };
  /** What it may be in JSON, beside a text. */
  json?: 'number' | 'boolean' | 'object';
  /** Every value is the id of a record of this table, and of the same account. */
  reference?: { table: string; id: string };
  fallback?: ColumnValue | typeof NOW;
  /** No two records have the same, whosoever they are; a record without an id is known by it. */
  isUnique?: boolean;
  /** What the column `<name>_folded` keeps beside it. */
  fold?: (text: string) => string;
}

/** How the records of one table stand in a file. */
export interface RecordColumns {
  /** What a command calls it; the table has the same name. */
  name: string;
  id: { name: string; column: string };
  /** Every name of the record, in its order; those without a column follow a relation, and are ignored on the way in. */
  fields: readonly string[];
  /** Of the table, without the id and the account. */
  columns: readonly RecordColumn[];
}
