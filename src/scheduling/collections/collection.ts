import { RECORD_ID, text, TIME, YES_OR_NO } from '../../platform/common/field-types';
import { fold } from '../../platform/common/fold-text';
import type { RecordColumn, RecordColumns } from '../../platform/common/records';

export type Field =
  /** Filters match any part of the text, compared in the column `<name>_folded` (see `fold`). */
  | { type: 'text'; name: string; length: number; example: string }
  /** `YYYY-MM-DD HH:MM:SS`; filters match a prefix. */
  | { type: 'time'; name: string; example: string }
  /** A boolean; unless filtered by it, lists contain only records where it is true. */
  | { type: 'flag'; name: string }
  /** A foreign key, named like the id of the other collection. */
  | { type: 'reference'; name: string; table: string }
  /** A text column of the referenced record. `placeholder` is a filter value that the API defines as no filter. */
  | { type: 'related'; name: string; table: string; column: string; example: string; placeholder?: string };

/** A field that lists can be filtered and ordered by. */
export type SearchField = Exclude<Field, { type: 'reference' }>;

/** A scheduling collection: its SQL, validation and OpenAPI documentation are generated from this. */
export interface Collection {
  /** The value of `api`, and the table. */
  name: string;
  noun: string;
  /** The id column. */
  id: string;
  /** In the order of the response. */
  fields: readonly Field[];
}

export function searchFields({ fields }: Collection): SearchField[] {
  return fields.filter((field) => field.type !== 'reference');
}

export function orderFields(collection: Collection): string[] {
  return [collection.id, ...searchFields(collection).map(({ name }) => name)];
}

/** Parameters have hyphens where fields have underscores. */
export function parameterName(fieldName: string): string {
  return fieldName.replaceAll('_', '-');
}

/** A collection's columns in an import or export file. */
export function schedulingColumns({ name, id, fields }: Collection): RecordColumns {
  return {
    name,
    id: { name: id, column: id },
    fields: [id, ...fields.map((field) => field.name)],
    columns: fields.flatMap(columnOf),
  };
}

function columnOf(field: Field): RecordColumn[] {
  const { name } = field;
  if (field.type === 'text') return [{ name, type: text(field.length, field.example), fold }];
  if (field.type === 'time') return [{ name, type: TIME }];
  if (field.type === 'flag') return [{ name, type: YES_OR_NO, json: 'boolean', fallback: 1 }];
  if (field.type === 'reference') return [{ name, type: RECORD_ID, json: 'number', reference: { table: field.table, id: name } }];
  return [];
}
