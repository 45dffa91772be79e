import type Libsql from 'libsql';

/**
 * A statement of libsql that takes whatever TypeORM binds. A lone object, Date or Buffer would be taken for a set of named
 * values, and that, like a boolean, aborts the process (libsql 0.5.29); in an array it is bound or refused.
 */
export function bindable(statement: Libsql.Statement) {
  return {
    reader: statement.reader,
    all: (...values: unknown[]) => statement.all(toBound(values)).map(withBuffers),
    run: (...values: unknown[]) => statement.run(toBound(values)),
  };
}

export function toBound(values: readonly unknown[]): unknown[] {
  return values.map((value) => (typeof value === 'boolean' ? Number(value) : value));
}

/** Other drivers give a BLOB as a Buffer, and so do TypeORM's entities. */
function withBuffers(row: unknown): unknown {
  const record = row as Record<string, unknown>;
  for (const [name, value] of Object.entries(record)) if (value instanceof ArrayBuffer) record[name] = Buffer.from(value);
  return record;
}
