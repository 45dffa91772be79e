import type { EntityManager } from 'typeorm';

/** How many records are checked and written by one statement. */
export const CHUNK = 500;

const MARKS = Array.from({ length: CHUNK }, () => '?').join(', ');

/** The rows whose column holds one of at most CHUNK values; one statement for every number of them, so that it is prepared once. */
export async function selectAmong<T>(
  manager: EntityManager,
  select: string,
  column: string,
  values: readonly (string | number)[],
): Promise<T[]> {
  if (values.length === 0) return [];
  const filled = [...values, ...Array.from({ length: CHUNK - values.length }, () => values[0])];
  return manager.query<T[]>(`${select} WHERE ${column} IN (${MARKS})`, filled);
}
