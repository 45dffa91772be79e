import { once } from 'node:events';
import { createHash } from 'node:crypto';
import type { PoolConnection, PoolOptions, RowDataPacket } from 'mysql2';
import type { DataSource, DataSourceOptions, EntityManager } from 'typeorm';
import { type ConnectionOptions, createConnection } from 'mysql2/promise';
import { IntegerQueue } from '../../common/integer-queue';
import type { MysqlServer } from '../../config/database-url';
import {
  Dialect,
  executorOn,
  type MigrationWork,
  type NamedRow,
  type RowValues,
  type SqlExecutor,
  type Values,
  type Work,
} from '../dialect';
import { changeMarker, contains, equals, isAfter } from './list-reads';
import { createWatchedPool, LIFT_LIMITS, MysqlDataSource, SET_SESSION, usageOf, type WatchedPool } from './pool';
import { control, errorKind, MysqlStatements } from './statements';

const connectTimeout = 1_000;

/** Across all connections of this service; a server's default limit is 16,382. */
const MAX_PREPARED = 16_000;

/** TypeORM would have BIGINT as text, and the driver DECIMAL, which is the type of SUM. An entity's bigint remains text. */
const NUMBERS = { bigNumberStrings: false, decimalNumbers: true };

/** Table options for migrations. A binary collation compares code points, which gives SQLite's byte order except for trailing spaces. */
export const MYSQL_TABLE = 'InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';

/** MySQL from version 8, MariaDB from 10.11. */
export class MysqlDialect extends Dialect {
  readonly dataSourceOptions: DataSourceOptions;
  readonly orderedJoin = 'STRAIGHT_JOIN';
  readonly forUpdate = ' FOR UPDATE';
  readonly forUpdateSkipLocked = ' FOR UPDATE SKIP LOCKED';
  /** A pool's connections have consecutive ids. Galera gives each node an offset, so that no two nodes lock the same row. */
  readonly shard = 'CONNECTION_ID() % 32 * @@auto_increment_increment + @@auto_increment_offset';
  private pool: WatchedPool;
  private statements: MysqlStatements;

  constructor(
    private readonly server: MysqlServer,
    poolSize: number,
    processes: number,
  ) {
    super();
    const maxPreparedStatements = Math.max(1, Math.min(64, Math.floor(MAX_PREPARED / (poolSize * processes))));
    const createPool = (options: PoolOptions) => {
      this.pool = createWatchedPool({ ...options, ...NUMBERS, maxPreparedStatements });
      this.statements = new MysqlStatements(this.pool);
      return this.pool;
    };
    const { user: username, ...rest } = server;
    this.dataSourceOptions = {
      type: 'mysql',
      driver: { createPool },
      ...rest,
      username,
      connectTimeout,
      charset: 'utf8mb4_bin',
      timezone: 'Z',
      poolSize,
    };
  }

  createDataSource = (options: DataSourceOptions) => new MysqlDataSource(options);
  override readonly poolUsage = () => usageOf(this.pool);
  isServing = () => this.pool.isServing();
  errorKind = errorKind;

  read<R extends RowValues>(sql: string, values: Values): Promise<R[]> {
    return this.statements.read(sql, values);
  }

  readNamed(sql: string, values: Values): Promise<NamedRow[]> {
    return this.statements.readNamed(sql, values);
  }

  async version(): Promise<string> {
    const [[version]] = await this.read('SELECT VERSION()', []);
    const [number, ...rest] = String(version).split('-'); // such as 10.11.14-MariaDB-0+deb12u2
    return `${rest.includes('MariaDB') ? 'MariaDB' : 'MySQL'} ${number}`;
  }

  // Uses events: the driver's stream blocks the event loop six times as long for a million rows. When the connection is lost, the
  // error is emitted on the connection, not on the query.
  async readIntegers(sql: string, values: Values): Promise<IntegerQueue> {
    const connection = await this.connect();
    const integers = new IntegerQueue();
    const done = new AbortController();
    try {
      const query = connection.query({ sql, values: [...values], rowsAsArray: true });
      query.on('result', (row) => integers.add((row as unknown as [number])[0]));
      const lost = once(connection, 'error', { signal: done.signal }).then(([error]) => Promise.reject(error as Error));
      await Promise.race([once(query, 'end'), lost]);
      return integers;
    } finally {
      done.abort();
      connection.release();
    }
  }

  async statementTransaction<T>(work: Work<T>): Promise<T> {
    const connection = await this.connect();
    try {
      await control(connection, 'START TRANSACTION');
      const result = await work(new MysqlStatements(connection));
      await control(connection, 'COMMIT');
      return result;
    } catch (error) {
      await control(connection, 'ROLLBACK').catch(() => connection.destroy()); // this rolls back, too
      throw error;
    } finally {
      connection.release();
    }
  }

  async statementsOf(manager: EntityManager): Promise<SqlExecutor> {
    return new MysqlStatements((await manager.queryRunner!.connect()) as PoolConnection);
  }

  // Nothing else runs yet, so the pool has one connection.
  withMigrationLock<T>(dataSource: DataSource, work: MigrationWork<T>): Promise<T> {
    return withMigrationLock({ ...this.server, connectTimeout }, async () => {
      await dataSource.query(LIFT_LIMITS);
      const result = await work(executorOn(dataSource));
      await dataSource.query(SET_SESSION);
      return result;
    });
  }

  // A batch is a transaction of many records, and may wait longer for a row lock than a request.
  prepareBulk(dataSource: DataSource): Promise<void> {
    return dataSource.query(LIFT_LIMITS);
  }

  async insert(manager: EntityManager, table: string, columns: readonly string[], rows: RowValues[], suffix: string): Promise<void> {
    await manager.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ? ${suffix}`, [rows]);
  }

  changeMarker: Dialect['changeMarker'] = (tables) => changeMarker(this, tables);
  contains = contains;
  equals = equals;
  isAfter = isAfter;

  forceIndex(name: string): string {
    return `FORCE INDEX (${name})`;
  }

  upsertPrefix(): string {
    return 'ON DUPLICATE KEY UPDATE';
  }

  // MySQL deprecates VALUES() in favor of a row alias, which MariaDB lacks.
  upsertClause(_id: string, columns: readonly string[]): string {
    return `${this.upsertPrefix()} ${columns.map((column) => `${column} = VALUES(${column})`).join(', ')}`;
  }

  upsertSums(_key: string, columns: readonly string[]): string {
    return `${this.upsertPrefix()} ${columns.map((column) => `${column} = ${column} + VALUES(${column})`).join(', ')}`;
  }

  private connect(): Promise<PoolConnection> {
    return new Promise((resolve, reject) => {
      this.pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
    });
  }
}

const TIMEOUT_SECONDS = 120;

/** Runs the work under the migration lock. The lock belongs to a connection of its own, and ends with it. */
export async function withMigrationLock<T>(options: ConnectionOptions, work: () => Promise<T>): Promise<T> {
  const connection = await createConnection(options);
  try {
    const [[{ name }]] = await connection.query<RowDataPacket[]>('SELECT DATABASE() AS name');
    const [[{ held }]] = await connection.query<RowDataPacket[]>('SELECT GET_LOCK(?, ?) AS held', [
      lockName(name as string),
      TIMEOUT_SECONDS,
    ]);
    if (Number(held) !== 1)
      throw new Error(
        `Could not acquire the migration lock within ${TIMEOUT_SECONDS} s. If another process is migrating, wait for it and try again.`,
      );
    return await work();
  } finally {
    await connection.end();
  }
}

/**
 * Locks are server-wide, so the name includes the database, hashed to stay within MySQL's 64 characters. During an upgrade, old
 * and new releases of this service must share the lock: older ones named it with the server's SHA1(), which MySQL 9.6 removed.
 */
function lockName(database: string): string {
  return `frontdesk.${createHash('sha1').update(database).digest('hex')}`;
}
