import type { TableColumnOptions, TableForeignKeyOptions, TableIndexOptions } from 'typeorm';

// Column, index and foreign-key definitions for migrations.

/** MySQL's table options. A binary collation compares code points, which gives SQLite's byte order except for trailing spaces. */
export const MYSQL_TABLE = 'InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';

export function generatedId(name = 'id'): TableColumnOptions {
  return { name, type: 'integer', isPrimary: true, isGenerated: true, generationStrategy: 'increment' };
}

export function integer(name: string): TableColumnOptions {
  return { name, type: 'integer' };
}

export function bigint(name: string): TableColumnOptions {
  return { name, type: 'bigint' };
}

export function varchar(name: string, length: number): TableColumnOptions {
  return { name, type: 'varchar', length: String(length) };
}

export function text(name: string): TableColumnOptions {
  return { name, type: 'text' };
}

export function flag(name: string): TableColumnOptions {
  return { name, type: 'boolean' };
}

/** `YYYY-MM-DD HH:MM:SS`. */
export function time(name: string, isNullable = false): TableColumnOptions {
  return { ...varchar(name, 19), isNullable };
}

export function nullable(column: TableColumnOptions): TableColumnOptions {
  return { ...column, isNullable: true };
}

export function primaryKey(column: TableColumnOptions): TableColumnOptions {
  return { ...column, isPrimary: true };
}

export function index(...columnNames: string[]): TableIndexOptions {
  return { columnNames };
}

/** A unique index, not a constraint: a constraint's name differs by database, and would count as schema drift. */
export function unique(...columnNames: string[]): TableIndexOptions {
  return { columnNames, isUnique: true };
}

export function reference(column: string, table: string, id = 'id'): TableForeignKeyOptions {
  return { columnNames: [column], referencedTableName: table, referencedColumnNames: [id], onDelete: 'RESTRICT', onUpdate: 'NO ACTION' };
}
