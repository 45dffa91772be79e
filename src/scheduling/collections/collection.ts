/** A text of the record; filters find it by any part of it. A column `<name>_folded` keeps what they compare. */
export interface TextField {
  type: 'text';
  name: string;
  length: number;
  example: string;
}

/** A moment, `YYYY-MM-DD HH:MM:SS`; filters find it by its beginning. */
export interface TimeField {
  type: 'time';
  name: string;
  example: string;
}

/** Whether somebody or something is available; lists show only what is, unless they are told otherwise. */
export interface FlagField {
  type: 'flag';
  name: string;
}

/** The id of a record of another collection, which has the same name there. */
export interface ReferenceField {
  type: 'reference';
  name: string;
  table: string;
}

/** A text of the record that a reference leads to; `placeholder` is a value that the interface lists and that means none. */
export interface RelatedField {
  type: 'related';
  name: string;
  table: string;
  column: string;
  example: string;
  placeholder?: string;
}

export type Field = TextField | TimeField | FlagField | ReferenceField | RelatedField;

/** A field that lists can be filtered and ordered by. */
export type SearchField = Exclude<Field, ReferenceField>;

/**
 * One collection of scheduling records. The statement, the validation and the OpenAPI document are made from this alone.
 * `name` is the value of `api` and the table, `id` the column of the record's id; fields stand in the order of the interface.
 */
export interface Collection {
  name: string;
  noun: string;
  id: string;
  fields: readonly Field[];
}

export function searchFields({ fields }: Collection): SearchField[] {
  return fields.filter((field) => field.type !== 'reference');
}

/** Parameters are spelled with hyphens, fields with underscores. */
export function parameterName(fieldName: string): string {
  return fieldName.replaceAll('_', '-');
}
