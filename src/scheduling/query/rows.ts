import type { NamedRow } from '../../database/dialect';
import type { Row } from '../../database/records/records';
import type { Collection } from '../collections/collection';

/** The record of a row, which is the row itself: its columns are named and ordered as the fields are. */
export function recordOf({ fields }: Collection, row: NamedRow): Row {
  for (const { name, type } of fields) if (type === 'flag') row[name] = row[name] === 1;
  return row;
}
