import { once } from 'node:events';
import type { PoolConnection, PoolOptions, RowDataPacket } from 'mysql2';
import type { DataSource, DataSourceOptions, EntityManager, MigrationExecutor } from 'typeorm';
import type { MysqlServer } from '../../config/database-url';
import { type RowValues, Dialect, executorOn, type NamedRow, type EntityWork, type Values, type Work, type WriteResult } from '../dialect';
import { IntegerList } from '../../common/integer-list';
import { isDisconnected, isDuplicateEntry, isLockTimeout, isRolledBack, isUnavailable } from './errors';
import { MysqlDataSource } from './data-source';
import { holdingMigrationLock } from './migration-lock';
import { createWatchedPool, LIFT_LIMITS, SET_SESSION, type WatchedPool } from './pool';
import { usageOf } from './pool-usage';
import { command, execute, readFrom, statementsOn, writeTo } from './statements';

const connectTimeout = 1_000;

/** All that the connections of this service keep prepared: a server takes 16,382 by default. */
const PREPARED_STATEMENTS = 16_000;

/** What a migration gives as a table's engine. In a binary collation texts differ when their characters do, as on SQLite. */
export const MYSQL_TABLE = 'InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';

/** MySQL 8 and later, MariaDB 10.11 and later. */
export class MysqlDialect extends Dialect {
  readonly connection: DataSourceOptions;
  readonly orderedJoin = 'STRAIGHT_JOIN';
  readonly forUpdate = ' FOR UPDATE';
  private pool: WatchedPool;

  constructor(
    private readonly server: MysqlServer,
    poolSize: number,
    processes: number,
  ) {
    super();
    const maxPreparedStatements = Math.max(1, Math.min(64, Math.floor(PREPARED_STATEMENTS / (poolSize * processes))));
    const { user: username, ...rest } = server;
    const driver = { createPool: (options: PoolOptions) => (this.pool = createWatchedPool({ ...options, maxPreparedStatements })) };
    this.connection = { type: 'mysql', driver, ...rest, username, connectTimeout, charset: 'utf8mb4_bin', timezone: 'Z', poolSize };
  }

  // A range of one: with `=`, MariaDB may read the account from its beginning for each page (measured: 47 ms for half a
  // million records, where this takes 0.4 ms).
  ofAccount(accountId: number): { sql: string; values: Values } {
    return { sql: 'account_id >= ? AND account_id <= ?', values: [accountId, accountId] };
  }

  transaction<T>(dataSource: DataSource, work: EntityWork<T>): Promise<T> {
    return dataSource.transaction(async (manager) => {
      const connection = (await manager.queryRunner!.connect()) as PoolConnection;
      return work(manager, statementsOn(connection));
    });
  }

  async statementTransaction<T>(_dataSource: DataSource, work: Work<T>): Promise<T> {
    const connection = await this.connect();
    try {
      await command(connection, 'START TRANSACTION');
      const result = await work(statementsOn(connection));
      await command(connection, 'COMMIT');
      return result;
    } catch (error) {
      await command(connection, 'ROLLBACK').catch(() => connection.destroy()); // its end undoes the transaction as well
      throw error;
    } finally {
      connection.release();
    }
  }

  // The limits are lifted on the pool's only connection: nobody else is at work yet.
  withMigrationLock(dataSource: DataSource, work: (executor: MigrationExecutor) => Promise<void>): Promise<void> {
    return holdingMigrationLock({ ...this.server, connectTimeout }, async () => {
      await dataSource.query(LIFT_LIMITS);
      await work(executorOn(dataSource));
      await dataSource.query(SET_SESSION);
    });
  }

  read(sql: string, values: Values): Promise<RowValues[]> {
    return readFrom(this.pool, sql, values);
  }

  readNamed(sql: string, values: Values): Promise<NamedRow[]> {
    return execute<RowDataPacket[]>(this.pool, sql, values);
  }

  write(sql: string, values: Values): Promise<WriteResult> {
    return writeTo(this.pool, sql, values);
  }

  // By events: through the stream of the driver a million rows hold the event loop six times as long. A connection that is
  // lost tells of it on itself, and not to a query that reads by events.
  async readIntegers(sql: string, values: Values): Promise<IntegerList> {
    const connection = await this.connect();
    const integers = new IntegerList();
    const over = new AbortController();
    try {
      const query = connection.query({ sql, values: [...values], rowsAsArray: true });
      query.on('result', (row) => integers.add((row as unknown as [number])[0]));
      const lost = once(connection, 'error', { signal: over.signal }).then(([error]) => Promise.reject(error as Error));
      await Promise.race([once(query, 'end'), lost]);
      return integers;
    } finally {
      over.abort();
      connection.release();
    }
  }

  // A batch is one transaction of many records; another that meets it on a row waits for longer than a request would.
  prepareBulk(dataSource: DataSource): Promise<void> {
    return dataSource.query(LIFT_LIMITS);
  }

  async insert(manager: EntityManager, table: string, columns: readonly string[], rows: RowValues[], ending: string): Promise<void> {
    await manager.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ? ${ending}`, [rows]);
  }

  onDuplicate(): string {
    return 'ON DUPLICATE KEY UPDATE';
  }

  // MySQL would have a row alias for VALUES(), which MariaDB does not know.
  onConflict(_id: string, columns: readonly string[]): string {
    return `${this.onDuplicate()} ${columns.map((column) => `${column} = VALUES(${column})`).join(', ')}`;
  }

  override readonly poolUsage = () => usageOf(this.pool);
  createDataSource = (options: DataSourceOptions) => new MysqlDataSource(options);
  isServing = () => this.pool.isServing();
  isUniqueViolation = isDuplicateEntry;
  isRolledBack = isRolledBack;
  isDisconnected = isDisconnected;
  isLockTimeout = isLockTimeout;
  isUnavailable = isUnavailable;

  private connect(): Promise<PoolConnection> {
    return new Promise((resolve, reject) => {
      this.pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
    });
  }
}
