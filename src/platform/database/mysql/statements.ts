import type { Pool, PoolConnection, QueryError, ResultSetHeader, RowDataPacket } from 'mysql2';
import { QueryFailedError } from 'typeorm';
import type { Clock } from '../../common/clock';
import { driverError, type ErrorKind, type RowValues, type SqlExecutor, type Values, type WriteResult } from '../dialect';

/** Error number: the server's prepared statements have reached max_prepared_stmt_count. */
const TOO_MANY_PREPARED = 1461;

/** Runs statements on a pool, or on one of its connections. */
export class MysqlStatements implements SqlExecutor {
  constructor(
    readonly connection: Pick<Pool, 'execute' | 'query'>,
    readonly clock: Clock,
  ) {}

  read<R extends RowValues>(sql: string, values: Values): Promise<R[]> {
    return this.execute(sql, values);
  }

  async write(sql: string, values: Values): Promise<WriteResult> {
    const { insertId, affectedRows } = await this.execute<ResultSetHeader>(sql, values);
    return { id: insertId, affected: affectedRows };
  }

  async writeLast(sql: string, values: Values): Promise<void> {
    await this.write(sql, values);
  }

  /**
   * Prepares the statement, which halves the time of a list of 25 records (bench/HISTORY.md). Sends numbers as strings: the driver would send
   * DOUBLE, which MySQL rejects in LIMIT (https://github.com/sidorares/node-mysql2/issues/1239). While the server allows no more
   * prepared statements, the driver escapes the values instead.
   */
  private execute<T>(sql: string, values: Values): Promise<T> {
    const texts = values.map((value) => (value === null ? null : String(typeof value === 'boolean' ? Number(value) : value)));
    return toPromise(sql, (done) => {
      const retryUnprepared: typeof done = (error, result) => {
        if (error?.errno !== TOO_MANY_PREPARED) done(error, result);
        else this.connection.query<RowDataPacket[]>({ sql, values: [...values], rowsAsArray: true }, done);
      };
      this.connection.execute<RowDataPacket[]>({ sql, values: texts, rowsAsArray: true }, retryUnprepared as never);
    });
  }
}

/** Maximum number of deferred statements sent together, to limit the packet's size. */
const MAX_DEFERRED_STATEMENTS = 16;

/** A transaction on a connection without autocommit: the first statement starts it. */
export class MysqlTransaction extends MysqlStatements {
  private deferredStatements: { sql: string; text: string }[] = [];
  /** Set once TypeORM has joined the transaction: resolves when the statements deferred until then have run. */
  private joined?: Promise<void>;

  constructor(
    override readonly connection: PoolConnection,
    clock: Clock,
  ) {
    super(connection, clock);
  }

  /** Defers the statement to the commit. The driver escapes the values, since a prepared statement can't be sent with others. */
  override async writeLast(sql: string, values: Values): Promise<void> {
    if (this.joined) {
      await this.joined;
      await this.write(sql, values);
      return;
    }
    this.deferredStatements.push({ sql, text: this.connection.format(sql, [...values]) });
    if (this.deferredStatements.length === MAX_DEFERRED_STATEMENTS) await this.sendDeferred();
  }

  /** Sends the deferred statements, and defers no more: TypeORM may roll back to a savepoint. Its statements run after the deferred ones. */
  join(): void {
    this.joined ??= this.sendDeferred();
    this.joined.catch(() => undefined); // commit() reports the error
  }

  async commit(): Promise<void> {
    await this.joined;
    await this.sendDeferred('COMMIT');
  }

  rollback(): Promise<void> {
    this.deferredStatements = [];
    return this.sendDeferred('ROLLBACK');
  }

  /** Sends the deferred statements, then `control`, in one query; the server stops at the first statement that fails. */
  private sendDeferred(...control: string[]): Promise<void> {
    if (this.deferredStatements.length + control.length === 0) return Promise.resolve();
    const texts = [...this.deferredStatements.map(({ text }) => text), ...control];
    const sql = [...this.deferredStatements.map((statement) => statement.sql), ...control].join('; ');
    this.deferredStatements = [];
    return toPromise(sql, (done) => this.connection.query(texts.join('; '), done));
  }
}

function toPromise<T>(sql: string, run: (done: (error: QueryError | null, result: unknown) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    run((error, result) => {
      if (error) reject(new QueryFailedError(sql, [], error));
      else resolve(result as T);
    });
  });
}

/** Error code when no connection becomes free in time. Not retried, unlike a lost connection, because a retry would add load. */
export const POOL_BUSY = 'POOL_BUSY';

// By number: MySQL and MariaDB share the numbers, but not all names (https://mariadb.com/kb/en/mariadb-error-code-reference/).
// `rolled back`: the statement took no effect, and may succeed in a new transaction.
const ERROR_KINDS: Record<number, ErrorKind> = {
  1062: 'duplicate',
  1451: 'referenced', // another row references this one
  1452: 'referenced', // this row references one that doesn't exist
  1205: 'lock timeout',
  1213: 'rolled back', // deadlock, or a certification conflict on a Galera cluster
  1020: 'rolled back', // a row changed since the snapshot: innodb_snapshot_isolation, the default from MariaDB 11.6.2
  1467: 'rolled back', // deadlock for an AUTO_INCREMENT (https://jira.mariadb.org/browse/MDEV-33593)
  1412: 'rolled back', // "Table definition has changed, please retry transaction"
  1047: 'rolled back', // "WSREP has not yet prepared node for application use": a Galera node outside its cluster
  3101: 'rolled back', // certification conflict in MySQL Group Replication
  1792: 'read-only', // transaction_read_only
  1836: 'read-only', // MySQL's innodb_read_only
  1036: 'read-only', // MariaDB's innodb_read_only
};
/** Raised for other options, too. In every language, the message contains the option. */
const OPTION_PREVENTS_STATEMENT = 1290;
const READ_ONLY_OPTION = /--[a-z-]*read[-_]only/;
const UNAVAILABLE_ERRORS = [
  1040, // too many connections to the server
  1203, // too many connections for the user
  1226, // the user or its role has reached a limit
  1053, // shutdown in progress
  1077, // shutdown
  1079, // shutdown complete
  1114, // table full, because the server's disk is full
  1021, // the server's disk is full
  TOO_MANY_PREPARED,
  1317, // query killed
  1927, // connection killed
  1969, // MariaDB's statement timeout
  3024, // MySQL's statement timeout
  1180, // error during COMMIT; the outcome is unknown
  3100, // error during COMMIT in Group Replication; the outcome is unknown
];
/** Found in errors about files other than tables, which have various numbers. */
const DISK_FULL = /\b28\W{1,3}No space left on device/;
const NETWORK_ERROR = /^(ECONN|ETIMEDOUT|EPIPE|EHOST|ENET|ENOTFOUND|EAI_AGAIN|PROTOCOL_)/;

export function errorKind(error: unknown): ErrorKind | undefined {
  const { code, errno, fatal, message = '' } = driverError(error);
  const number = Number(errno);
  if (number === OPTION_PREVENTS_STATEMENT) return READ_ONLY_OPTION.test(message) ? 'read-only' : undefined;
  if (number in ERROR_KINDS) return ERROR_KINDS[number];
  if (fatal === true || NETWORK_ERROR.test(String(code))) return 'disconnected';
  return UNAVAILABLE_ERRORS.includes(number) || code === POOL_BUSY || DISK_FULL.test(message) ? 'unavailable' : undefined;
}
