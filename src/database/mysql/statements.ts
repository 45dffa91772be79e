import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2';
import { QueryFailedError } from 'typeorm';
import type { RowValues, Statements, Values, WriteResult } from '../dialect';

/** A pool, or one of its connections. */
type Executor = Pick<Pool, 'execute'>;

export function readFrom(executor: Executor, sql: string, values: Values): Promise<RowValues[]> {
  return execute<RowDataPacket[][]>(executor, sql, values, true) as unknown as Promise<RowValues[]>;
}

export async function writeTo(executor: Executor, sql: string, values: Values): Promise<WriteResult> {
  const { insertId, affectedRows } = await execute<ResultSetHeader>(executor, sql, values);
  return { id: insertId, affected: affectedRows };
}

/** The statements of a transaction that this connection is in. */
export function statementsOn(connection: PoolConnection): Statements {
  return {
    read: (sql, values) => readFrom(connection, sql, values),
    write: (sql, values) => writeTo(connection, sql, values),
  };
}

/** Begins or ends a transaction. */
export function command(connection: PoolConnection, sql: 'START TRANSACTION' | 'COMMIT' | 'ROLLBACK'): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error) => {
      if (error) reject(new QueryFailedError(sql, [], error));
      else resolve();
    });
  });
}

/**
 * Prepared, which a list of 25 gains by half (bench/RESULTS.md); numbers as text, for the driver would send them as DOUBLE,
 * which MySQL takes for no LIMIT (https://github.com/sidorares/node-mysql2/issues/1239).
 */
export function execute<T extends RowDataPacket[] | RowDataPacket[][] | ResultSetHeader>(
  executor: Executor,
  sql: string,
  values: Values,
  rowsAsArray = false,
): Promise<T> {
  const texts = values.map((value) => (value === null ? null : String(typeof value === 'boolean' ? Number(value) : value)));
  return new Promise((resolve, reject) => {
    executor.execute<T>({ sql, values: texts, rowsAsArray }, (error, result) => {
      if (error) reject(new QueryFailedError(sql, [], error));
      else resolve(result);
    });
  });
}
