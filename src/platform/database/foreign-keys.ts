import type { DataSource, EntityMetadata } from 'typeorm';
import type { Dialect } from './dialect';

interface ForeignKeyReference {
  /** The referencing table. */
  readonly table: string;
  readonly column: string;
  /** The referenced table. */
  readonly to: string;
  readonly onDelete?: string;
}

/** Tables whose rows a deletion from this table deletes or changes through foreign keys, directly or through other tables. */
export function cascadesOf(dataSource: DataSource, table: string, visited: ReadonlySet<string> = new Set([table])): string[] {
  const next = references(dataSource).filter((one) => one.to === table && changesRows(one) && !visited.has(one.table));
  const tables = new Set(next.map((one) => one.table));
  return [...tables, ...[...tables].flatMap((one) => cascadesOf(dataSource, one, new Set([...visited, ...tables])))];
}

/** Tables from which a deletion may cascade to one of these. */
export function parentsOf(dataSource: DataSource, tables: readonly string[]): string[] {
  const names = dataSource.entityMetadatas.map(({ tableName }) => tableName);
  return names.filter((name) => cascadesOf(dataSource, name).some((table) => tables.includes(table)));
}

/** Tables without an entity, such as those of an extension that isn't loaded, with rows that reference the row `id` of the table `to`. */
export async function referrersWithoutEntity(
  { entityMetadatas, driver }: DataSource,
  dialect: Dialect,
  to: string,
  id: number,
): Promise<string[]> {
  const tablesWithEntity = entityMetadatas.map(({ tableName }) => tableName);
  const referrers: string[] = [];
  for (const [table, column] of await dialect.read<[table: string, column: string]>(dialect.sql.referencesQuery, [to])) {
    if (tablesWithEntity.includes(table)) continue;
    const find = `SELECT 1 FROM ${driver.escape(table)} WHERE ${driver.escape(column)} = ? LIMIT 1`;
    if ((await dialect.read(find, [id])).length > 0) referrers.push(table);
  }
  return referrers;
}

/** Sorts tables so that each comes before those it references. */
export function sortReferringFirst(tables: readonly EntityMetadata[]): EntityMetadata[] {
  const visited = new Set<EntityMetadata>();
  const sorted: EntityMetadata[] = [];
  const visit = (table: EntityMetadata): void => {
    if (visited.has(table)) return;
    visited.add(table);
    tables.filter(({ foreignKeys }) => foreignKeys.some((key) => key.referencedEntityMetadata === table)).forEach(visit);
    sorted.push(table);
  };
  tables.forEach(visit);
  return sorted;
}

function changesRows({ onDelete }: ForeignKeyReference): boolean {
  return onDelete === 'CASCADE' || onDelete === 'SET NULL';
}

function references({ entityMetadatas }: DataSource): ForeignKeyReference[] {
  return entityMetadatas.flatMap(({ tableName: table, foreignKeys }) =>
    foreignKeys.map(({ columns: [column], referencedEntityMetadata: { tableName: to }, onDelete }) => {
      return { table, column: column.databaseName, to, onDelete };
    }),
  );
}
