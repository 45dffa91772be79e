import type { Pool, PoolConnection, QueryError, ResultSetHeader, RowDataPacket } from 'mysql2';
import { QueryFailedError } from 'typeorm';
import type { NamedRow, RowValues, SqlExecutor, Values, WriteResult } from '../dialect';

/** Runs statements on a pool, or on one of its connections. */
export class MysqlStatements implements SqlExecutor {
  constructor(private readonly connection: Pick<Pool, 'execute'>) {}

  read<R extends RowValues>(sql: string, values: Values): Promise<R[]> {
    return this.execute(sql, values, true);
  }

  readNamed(sql: string, values: Values): Promise<NamedRow[]> {
    return this.execute(sql, values);
  }

  async write(sql: string, values: Values): Promise<WriteResult> {
    const { insertId, affectedRows } = await this.execute<ResultSetHeader>(sql, values);
    return { id: insertId, affected: affectedRows };
  }

  /**
   * Prepares the statement: a list of 25 takes half as long (bench/HISTORY.md). Sends numbers as strings: the driver would send
   * DOUBLE, which MySQL rejects in LIMIT (https://github.com/sidorares/node-mysql2/issues/1239).
   */
  private execute<T>(sql: string, values: Values, rowsAsArray = false): Promise<T> {
    const strings = values.map((value) => (value === null ? null : String(typeof value === 'boolean' ? Number(value) : value)));
    return settle(sql, (done) => this.connection.execute<RowDataPacket[]>({ sql, values: strings, rowsAsArray }, done as never));
  }
}

/** Unprepared: MySQL can't prepare START TRANSACTION. */
export function control(connection: PoolConnection, sql: 'START TRANSACTION' | 'COMMIT' | 'ROLLBACK'): Promise<void> {
  return settle(sql, (done) => connection.query(sql, done));
}

function settle<T>(sql: string, run: (done: (error: QueryError | null, result: unknown) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    run((error, result) => {
      if (error) reject(new QueryFailedError(sql, [], error));
      else resolve(result as T);
    });
  });
}
