import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { createConnection } from 'mysql2';
import type { EntityMetadata } from 'typeorm';
import type { Config } from '../../platform/config/config';
import { OperatorError } from '../../auth/accounts/accounts.service';
import type { RowValues } from '../../platform/database/dialect';
import { LIFT_LIMITS, SET_SESSION } from '../../platform/database/mysql/pool';

/** One state of a database, read on a connection of its own. */
export interface Snapshot {
  /** Streams the rows of a SELECT. */
  rows(sql: string): AsyncIterable<RowValues>;
  /** Quotes a name for the database's SQL. */
  quote: (name: string) => string;
  /** The SQL to order by a column's bytes, which is the same order on all databases. */
  inByteOrder: (name: string) => string;
  /** Converts a time of a `datetime` column to the form that SQLite stores. */
  timeForSqlite: (value: string) => string;
  /** The query for the next id of each table that has had records: name, id. */
  readonly nextIds: string;
  /** The query for rows whose foreign keys refer to no row: table, id, the other table. Undefined if the database prevents them. */
  readonly orphans?: string;
  /** The query for the names of all tables. */
  readonly tables: string;
  /** @throws OperatorError when another process has opened the database, unless that is allowed */
  requireAlone(): Promise<void>;
  close(): void;
}

/** `inUse`: the error message if another process has opened the database; undefined allows it. @throws OperatorError */
export async function openSnapshot({ database }: Config, inUse?: string): Promise<Snapshot> {
  return database.type === 'sqlite' ? openSqlite(database.file, inUse) : openMysql(database.server, inUse);
}

/** In exclusive mode, SQLite locks the whole file, on which every other connection holds a shared lock: https://sqlite.org/wal.html#noshm */
function openSqlite(file: string, inUse?: string): Snapshot {
  if (!existsSync(file)) throw new OperatorError(`There is no database at ${file}.`);
  const database = new Libsql(file, { timeout: 0 });
  try {
    // exec(), because a prepared statement would keep the file open and locked after close(), until it is collected.
    if (inUse) database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('BEGIN');
    database.exec('SELECT COUNT(*) FROM sqlite_master');
  } catch (error) {
    database.close();
    throw inUse && String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY') ? new OperatorError(inUse) : error;
  }
  return {
    // eslint-disable-next-line @typescript-eslint/require-await -- the driver is synchronous
    rows: async function* (sql) {
      yield* database.prepare(sql).raw(true).iterate([]) as Iterable<RowValues>;
    },
    quote: (name) => `"${name}"`,
    inByteOrder: (name) => `"${name}" COLLATE BINARY`,
    timeForSqlite: (value) => value,
    nextIds: 'SELECT name, seq + 1 FROM sqlite_sequence',
    orphans: 'SELECT "table", rowid, parent FROM pragma_foreign_key_check',
    tables: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
    requireAlone: () => Promise.resolve(), // the exclusive lock already keeps others out
    close: () => database.close(),
  };
}

type Server = Extract<Config['database'], { type: 'mysql' }>['server'];

/** After a process is killed, its session lasts a moment longer. */
const ALONE_TRIES = 5;
const ALONE_WAIT_MS = 500;

/** Keeps the connection open while it is idle: rows already read are being compared. */
const KEEP_IDLE = 'SET SESSION wait_timeout = 86400';

async function openMysql(server: Server, inUse?: string): Promise<Snapshot> {
  const connection = createConnection({
    ...server,
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    supportBigNumbers: true,
    decimalNumbers: true,
    dateStrings: true,
  });
  let connectionError: Error | undefined;
  connection.on('error', (error) => (connectionError = error)); // mysql2 reports a lost connection here, but not on the stream that reads from it
  const rows = async function* (sql: string): AsyncGenerator<RowValues> {
    if (connectionError) throw connectionError;
    const stream = connection.execute({ sql, rowsAsArray: true }).stream();
    const fail = (error: Error) => stream.destroy(error);
    connection.on('error', fail);
    try {
      yield* stream as AsyncIterable<RowValues>;
    } finally {
      connection.off('error', fail);
    }
  };
  const countOtherSessions = async (): Promise<number> => {
    const sql = 'SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()';
    let count = 0;
    for await (const [value] of rows(sql)) count = Number(value);
    return count;
  };
  const requireAlone = async () => {
    if (inUse && (await countOtherSessions()) > 0) throw new OperatorError(inUse);
  };
  const fromTables = 'FROM information_schema.tables WHERE table_schema = DATABASE()';
  const begin = ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'START TRANSACTION WITH CONSISTENT SNAPSHOT'];
  try {
    await once(connection, 'connect');
    for (let tries = ALONE_TRIES; inUse && tries > 0 && (await countOtherSessions()) > 0; tries--) await sleep(ALONE_WAIT_MS);
    await requireAlone();
    for (const statement of [SET_SESSION, LIFT_LIMITS, KEEP_IDLE, ...begin]) await connection.promise().query(statement);
  } catch (error) {
    connection.destroy();
    throw error;
  }
  return {
    rows,
    requireAlone,
    quote: (name) => `\`${name}\``,
    inByteOrder: (name) => `CAST(\`${name}\` AS BINARY)`,
    timeForSqlite: toSqliteTime,
    nextIds: `SELECT table_name, auto_increment ${fromTables} AND auto_increment > 1`,
    tables: `SELECT table_name ${fromTables}`,
    close: () => connection.destroy(),
  };
}

/** Formats a time as TypeORM does for SQLite, which compares times as text. mysql2 omits a zero fraction. */
function toSqliteTime(time: string): string {
  const [whole, fraction = ''] = time.split('.');
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(3, '0')}`;
}

/** The SELECT for all rows in the byte order of their key, even if an extension's column has another collation. */
export function selectAll({ tableName, columns, primaryColumns }: EntityMetadata, { quote, inByteOrder }: Snapshot): string {
  const order = primaryColumns.map((column) => (column.length ? inByteOrder(column.databaseName) : quote(column.databaseName)));
  return `SELECT ${columns.map(({ databaseName }) => quote(databaseName)).join(', ')} FROM ${quote(tableName)} ORDER BY ${order.join(', ')}`;
}

/** The primary key of a row, for a message. */
export function idOf(row: RowValues, { columns, primaryColumns }: EntityMetadata): string {
  return primaryColumns.map((column) => row[columns.indexOf(column)]).join(' ');
}
