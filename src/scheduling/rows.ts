import type { Cells } from '../database/dialect';
import type { Row } from '../database/records';
import type { Collection } from './collection';

/** The record of a row: its id, and the fields in their order. */
export function recordOf({ id, fields }: Collection, cells: Cells): Row {
  const record: Row = { [id]: cells[0] };
  for (let index = 0; index < fields.length; index++) {
    const cell = cells[index + 1];
    record[fields[index].name] = fields[index].type === 'flag' ? cell === 1 : cell;
  }
  return record;
}
