import type Libsql from 'libsql';

/**
 * Binds values as an array. As arguments, libsql 0.5.29 takes a lone object, Date or Buffer for named values, and those, like a
 * boolean, abort the process. `guard` wraps each execution.
 */
export function bindable(statement: Libsql.Statement, guard = <T>(execute: () => T) => execute()) {
  return {
    reader: statement.reader,
    all: (...values: unknown[]) => guard(() => statement.all(toBound(values)).map(withBuffers)),
    run: (...values: unknown[]) => guard(() => statement.run(toBound(values))),
  };
}

export function toBound(values: readonly unknown[]): unknown[] {
  return values.map((value) => (typeof value === 'boolean' ? Number(value) : value));
}

/** A BLOB as TypeORM expects it. */
function withBuffers(row: unknown): unknown {
  const record = row as Record<string, unknown>;
  for (const [name, value] of Object.entries(record)) if (value instanceof ArrayBuffer) record[name] = Buffer.from(value);
  return record;
}
