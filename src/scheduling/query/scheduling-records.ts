import type { NamedRow, RowValues } from '../../database/dialect';
import type { Row } from '../../database/records/records';
import type { Collection } from '../collections/collection';

/** The rows as records, with the names and order of the fields; a driver returns a flag as 0 or 1. */
export function recordsOf({ fields }: Collection, rows: NamedRow[]): Row[] {
  for (const { name, type } of fields) if (type === 'flag') for (const row of rows) row[name] = row[name] === 1;
  return rows;
}

/** A row whose values are in the order of the fields, after the id. */
export function recordOf({ id, fields }: Collection, row: RowValues): Row {
  const record: Row = { [id]: row[0] };
  fields.forEach(({ name, type }, index) => (record[name] = type === 'flag' ? row[index + 1] === 1 : row[index + 1]));
  return record;
}
