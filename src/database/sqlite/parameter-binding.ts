import type Libsql from 'libsql';

/**
 * Binds values as an array: libsql 0.5.29 treats a single object, Date or Buffer passed as an argument as named parameters.
 * Named parameters, and booleans, abort the process. `guard` wraps each execution.
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

/** Converts BLOBs to Buffers, as TypeORM expects. */
function withBuffers(row: unknown): unknown {
  const record = row as Record<string, unknown>;
  for (const [name, value] of Object.entries(record)) if (value instanceof ArrayBuffer) record[name] = Buffer.from(value);
  return record;
}
