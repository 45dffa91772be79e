import type { ColumnType } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import type { RowValues } from '../dialect';

/** Column types whose values every database's driver returns as they were written (test/records.test.ts). */
const CARRIED = ['varchar', 'text', 'int', 'integer', 'tinyint', 'smallint', 'mediumint', 'bigint', 'double', 'boolean', 'simple-json'];
const CARRIED_TYPES: ReadonlySet<ColumnType> = new Set<ColumnType>([...(CARRIED as ColumnType[]), String, Number, Boolean]);

/** Applies to hidden columns, too, since they are part of the version. @throws Error when `Records` doesn't support the column */
export function checkColumn({ databaseName, transformer, type }: ColumnMetadata, entity: string): void {
  const problem = `Records can't carry ${entity}.${databaseName}:`;
  if (transformer) throw new Error(`${problem} its transformer would not run. Convert the value in the service, or use TypeORM.`);
  if (CARRIED_TYPES.has(type)) return;
  const name = typeof type === 'function' ? type.name : type;
  const hint = 'A time is a varchar(19), an amount an int of its smallest unit.';
  throw new Error(`${problem} databases return the type ${name} differently. Use ${CARRIED.join(', ')}, or TypeORM. ${hint}`);
}

/**
 * Compiles an object literal, as mysql2 does for its rows: a loop over the names takes five times as long, and V8 serializes the
 * resulting objects more slowly; together, 8% of the time of a list of 1,000. Drivers return a boolean as 0 or 1, and JSON as text.
 */
export function compileReader<R>(columns: ColumnMetadata[]): (row: RowValues) => R {
  const properties = columns.map((column, index) => {
    const value = `row[${index}]`;
    return `${JSON.stringify(column.databaseName)}: ${decode(column, value)}`;
  });
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- built only from an entity's column names, never from request data
  return new Function('row', `return { ${properties.join(', ')} };`) as (row: RowValues) => R;
}

/**
 * JSON is parsed and printed again, since any software may have stored it with other spaces, escapes, numbers or repeated keys.
 * Passing the text through would save a fifth of the work, but validating it costs a third of that saving, and only a parser
 * finds repeated keys (bench/HISTORY.md).
 */
function decode(column: ColumnMetadata, value: string): string {
  if (isBoolean(column)) return column.isNullable ? `${value} === null ? null : ${value} === 1` : `${value} === 1`;
  if (isJson(column)) return `JSON.parse(${value})`;
  return value;
}

function isBoolean({ type }: ColumnMetadata): boolean {
  return type === 'boolean' || type === Boolean;
}

export function isJson({ type }: ColumnMetadata): boolean {
  return type === 'simple-json';
}
