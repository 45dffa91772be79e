import type { DataSource } from 'typeorm';

interface Reference {
  /** The referencing table. */
  readonly table: string;
  readonly column: string;
  /** The table that it refers to. */
  readonly to: string;
  readonly onDelete?: string;
}

/** Tables whose rows are deleted or set to null by a deletion from this one, also through other tables. */
export function cascadesOf(dataSource: DataSource, table: string, known: ReadonlySet<string> = new Set([table])): string[] {
  const next = references(dataSource).filter((one) => one.to === table && changesRows(one) && !known.has(one.table));
  const tables = new Set(next.map((one) => one.table));
  return [...tables, ...[...tables].flatMap((one) => cascadesOf(dataSource, one, new Set([...known, ...tables])))];
}

/** Tables from which a deletion may reach one of these. */
export function parentsOf(dataSource: DataSource, tables: readonly string[]): string[] {
  const names = dataSource.entityMetadatas.map(({ tableName }) => tableName);
  return names.filter((name) => cascadesOf(dataSource, name).some((table) => tables.includes(table)));
}

function changesRows({ onDelete }: Reference): boolean {
  return onDelete === 'CASCADE' || onDelete === 'SET NULL';
}

function references({ entityMetadatas }: DataSource): Reference[] {
  return entityMetadatas.flatMap(({ tableName: table, foreignKeys }) =>
    foreignKeys.map(({ columns: [column], referencedEntityMetadata: { tableName: to }, onDelete }) => {
      return { table, column: column.databaseName, to, onDelete };
    }),
  );
}
