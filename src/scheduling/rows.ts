import type { Cells } from '../database/dialect';
import type { Row } from '../database/records';
import type { Collection } from './collection';

/** The record of a row: its id, and the fields in their order. */
export function recordOf({ id, fields }: Collection, cells: Cells): Row {
  const record: Row = { [id]: cells[0] };
  for (const [index, { name, type }] of fields.entries()) record[name] = type === 'flag' ? cells[index + 1] === 1 : cells[index + 1];
  return record;
}
