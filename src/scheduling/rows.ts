import type { Row } from '../database/records';
import type { Collection } from './collection';
import { fold } from './fold';
import type { ListQuery } from './scheduling-query';

/** A row of a scheduling statement: a flag comes as 0 or 1. */
export type SchedulingRow = Record<string, string | number>;

/** Where a list goes on: the record before, by what it is ordered by, and its id. */
export interface Cursor {
  key: string | number;
  id: number;
}

/** The cursor of a row: what the database compares is made anew from what the row shows. */
export function cursorOf({ collection, orderby }: ListQuery, row: SchedulingRow): Cursor {
  const field = collection.fields.find(({ name }) => name === orderby);
  const value = row[orderby];
  const isFolded = field?.type === 'text' || field?.type === 'related';
  return { key: isFolded ? fold(String(value)) : value, id: Number(row[collection.id]) };
}

/** The record of a row. */
export function recordOf({ fields }: Collection, row: SchedulingRow): Row {
  const flags = fields.filter(({ type }) => type === 'flag').map(({ name }) => [name, row[name] === 1]);
  return flags.length > 0 ? { ...row, ...(Object.fromEntries(flags) as object) } : row;
}
