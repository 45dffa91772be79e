import {
  type MigrationInterface,
  type QueryRunner,
  Table,
  type TableColumnOptions,
  type TableForeignKeyOptions,
  type TableIndexOptions,
  type TableOptions,
} from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';

// Building blocks for the tables in migrations.

/** A migration that only creates tables. `tables` lists a referenced table before those that refer to it. */
export abstract class NewTables implements MigrationInterface {
  protected abstract readonly tables: readonly TableOptions[];

  up(runner: QueryRunner): Promise<void> {
    return createTables(runner, this.tables);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropTables(runner, this.tables);
  }
}

export async function createTables(runner: QueryRunner, tables: readonly TableOptions[]): Promise<void> {
  for (const table of tables) await runner.createTable(new Table({ ...table, engine: MYSQL_TABLE }));
}

export async function dropTables(runner: QueryRunner, tables: readonly TableOptions[]): Promise<void> {
  for (const { name } of tables.toReversed()) await runner.dropTable(name);
}

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

/** A column of the primary key. */
export function key(column: TableColumnOptions): TableColumnOptions {
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
