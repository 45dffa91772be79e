import { once } from 'node:events';
import { createHash } from 'node:crypto';
import type { Pool, PoolConnection, PoolOptions } from 'mysql2';
import type { DataSource, DataSourceOptions, EntityManager, QueryRunner } from 'typeorm';
import { IntegerQueue } from '../../common/integer-queue';
import type { MysqlServer } from '../../config/database-url';
import {
  Dialect,
  executorOn,
  IN_TRANSACTION,
  type MigrationWork,
  type RowValues,
  type SqlExecutor,
  SqlGrammar,
  type Value,
  type Values,
  type StatementWork,
} from '../dialect';
import { MysqlHeartbeat } from './heartbeat';
import { createWatchedPool, destroyConnectionOf, LIFT_LIMITS, MysqlDataSource, SET_SESSION } from './pool';
import { checkServer } from './server-check';
import { errorKind, MysqlStatements, MysqlTransaction } from './statements';

const CONNECT_TIMEOUT_MS = 1_000;
const LOCK_WAIT_S = 120;
const LOCK_TIMEOUT_MESSAGE = `Could not acquire the migration lock within ${LOCK_WAIT_S} s. If another process is migrating, wait for it and try again.`;
/** Age after which `update_time` can be trusted: it has one-second resolution, and MariaDB sets it after the commit, to the transaction's start. */
const SETTLED_SECONDS = 2;

/** Maximum number of prepared statements on all of the service's connections together; a server's default limit is 16,382. */
const MAX_PREPARED_STATEMENTS = 16_000;

/** Options by which mysql2 reads BIGINT and DECIMAL (the type of SUM) as numbers instead of text. TypeORM still returns an entity's bigint as text. */
const NUMBER_OPTIONS = { bigNumberStrings: false, decimalNumbers: true };

class MysqlGrammar extends SqlGrammar {
  readonly orderedJoin = 'STRAIGHT_JOIN';
  readonly forUpdate = ' FOR UPDATE';
  readonly forUpdateSkipLocked = ' FOR UPDATE SKIP LOCKED';
  /** A pool's connections have consecutive ids. Galera gives each node an offset, so that no two nodes lock the same row. */
  readonly shard = 'CONNECTION_ID() % 32 * @@auto_increment_increment + @@auto_increment_offset';
  readonly referencesQuery = `SELECT table_name, column_name FROM information_schema.key_column_usage
    WHERE table_schema = DATABASE() AND referenced_table_schema = DATABASE() AND referenced_table_name = ?`;
  /** Not a derived table, which is far slower on MariaDB (64 SELECTs of five rows: 8.4 ms instead of 4.9). */
  wrapForUnion = (select: string) => `(${select})`;
  forceIndex = (name: string) => `FORCE INDEX (${name})`;
  upsertPrefix = () => 'ON DUPLICATE KEY UPDATE';
  /** MySQL deprecates VALUES() in favor of a row alias, which MariaDB lacks. */
  insertedValue = (column: string) => `VALUES(${column})`;

  /** A range, because with `=` MariaDB may read an account's rows from the start for each page (half a million rows: 47 ms instead of 0.4). */
  equals = (column: string, value: number) => ({ sql: `${column} >= ? AND ${column} <= ?`, values: [value, value] });

  /** Not a row comparison, for which neither server uses an index range scan (a million records: 280 ms instead of 0.6). */
  isAfter = ([first, second]: readonly [string, string], [value, id]: readonly [Value, Value]) => ({
    sql: `(${first} > ? OR (${first} = ? AND ${second} > ?))`,
    values: [value, value, id],
  });

  /** Compares bytes, which takes a sixth less time than comparing characters (a million records on MariaDB: 530 ms instead of 640). */
  contains = (column: string) => `INSTR(CAST(${column} AS BINARY), ?) > 0`;
}

/** The dialect of MySQL, from version 8, and of MariaDB, from 10.11. */
export class MysqlDialect extends Dialect {
  readonly dataSourceOptions: DataSourceOptions;
  readonly sql = new MysqlGrammar();
  readonly exposesUnflushedCommits = true; // without a binary log, InnoDB releases a transaction's locks before it flushes its log
  private heartbeat: MysqlHeartbeat;
  private pool: Pool;
  /** For the executor's transactions only, which send several statements in one query. */
  private writePool: Pool;
  private statements: MysqlStatements;

  constructor(
    { user: username, ...server }: MysqlServer,
    private readonly poolSize: number,
    private readonly processes: number,
  ) {
    super();
    const maxPreparedStatements = Math.max(1, Math.min(64, Math.floor(MAX_PREPARED_STATEMENTS / (2 * poolSize * processes))));
    const createPool = (options: PoolOptions) => {
      const poolOptions = { ...options, ...NUMBER_OPTIONS, maxPreparedStatements };
      (this.heartbeat as MysqlHeartbeat | undefined)?.stop(); // from a failed attempt to connect
      this.heartbeat = new MysqlHeartbeat(poolOptions);
      this.writePool = createWatchedPool({ ...poolOptions, multipleStatements: true }, this.heartbeat, 'SET autocommit = 0');
      this.pool = createWatchedPool(poolOptions, this.heartbeat);
      this.statements = new MysqlStatements(this.pool, this.clock);
      const end = this.pool.end.bind(this.pool);
      this.pool.end = (done?: Parameters<Pool['end']>[0]) => {
        this.heartbeat.stop();
        this.writePool.end(() => end(done));
      };
      return this.pool;
    };
    this.dataSourceOptions = {
      type: 'mysql',
      driver: { createPool },
      ...server,
      username,
      connectTimeout: CONNECT_TIMEOUT_MS,
      charset: 'utf8mb4_bin',
      timezone: 'Z',
      poolSize,
    };
  }

  private isGalera?: Promise<boolean>;

  createDataSource = (options: DataSourceOptions) =>
    new MysqlDataSource(options, (connection) => this.heartbeat.closeAfterRefusal(connection));
  override readonly poolUsage = () => this.heartbeat.usage;
  isServing = () => this.heartbeat.isServing();
  errorKind = errorKind;

  read<R extends RowValues>(sql: string, values: Values): Promise<R[]> {
    return this.statements.read(sql, values);
  }

  /** On Galera, the node first waits until it has applied every earlier write: https://mariadb.com/docs/server/reference/wsrep_sync_wait */
  override async readAcknowledged<R extends RowValues>(sql: string, values: Values): Promise<R[]> {
    const isGalera = await (this.isGalera ??= this.detectGalera());
    return this.read<R>(isGalera ? `SET STATEMENT wsrep_sync_wait = 7 FOR ${sql}` : sql, values);
  }

  private async detectGalera(): Promise<boolean> {
    try {
      const [wsrep] = await this.read<[name: string, value: string]>("SHOW VARIABLES LIKE 'wsrep_on'", []);
      return wsrep?.[1] === 'ON';
    } catch (error) {
      this.isGalera = undefined;
      throw error;
    }
  }

  async version(): Promise<string> {
    const [[version]] = await this.read('SELECT VERSION()', []);
    const [number, ...rest] = String(version).split('-'); // such as 10.11.14-MariaDB-0+deb12u2
    return `${rest.includes('MariaDB') ? 'MariaDB' : 'MySQL'} ${number}`;
  }

  override checkServer({ entityMetadatas }: DataSource): Promise<void> {
    const { poolSize, processes } = this;
    return checkServer(this, { tables: entityMetadatas.map(({ tableName }) => tableName), poolSize, processes });
  }

  // Uses events, because the driver's stream blocks the event loop six times as long for a million rows. When the connection is lost, the
  // error is emitted on the connection, not on the query.
  async readIntegers(sql: string, values: Values): Promise<IntegerQueue> {
    const connection = await connectionOf(this.pool);
    const integers = new IntegerQueue();
    const done = new AbortController();
    try {
      const query = connection.query({ sql, values: [...values], rowsAsArray: true });
      query.on('result', (row) => integers.add((row as unknown as [number])[0]));
      const connectionLost = once(connection, 'error', { signal: done.signal }).then(([error]) => Promise.reject(error as Error));
      await Promise.race([once(query, 'end'), connectionLost]);
      return integers;
    } finally {
      done.abort();
      connection.release();
    }
  }

  async statementTransaction<T>(work: StatementWork<T>): Promise<T> {
    const connection = await connectionOf(this.writePool);
    const transaction = new MysqlTransaction(connection, this.clock);
    try {
      const result = await work(transaction);
      await transaction.commit();
      this.heartbeat.closeAfterCommit(connection);
      return result;
    } catch (error) {
      if (errorKind(error) === 'read-only') this.heartbeat.closeAfterRefusal(connection);
      await transaction.rollback().catch(() => connection.destroy()); // destroying it also rolls back
      throw error;
    } finally {
      connection.release();
    }
  }

  async statementsOf(manager: EntityManager): Promise<SqlExecutor> {
    return new MysqlStatements((await manager.queryRunner!.connect()) as PoolConnection, this.clock);
  }

  join(dataSource: DataSource, statements: SqlExecutor): QueryRunner {
    const { connection } = statements as MysqlStatements;
    if (statements instanceof MysqlTransaction) statements.join();
    return Object.assign(dataSource.createQueryRunner(), { databaseConnection: connection, ...IN_TRANSACTION });
  }

  async withMigrationLock<T>(dataSource: DataSource, work: MigrationWork<T>): Promise<T> {
    const runner = dataSource.createQueryRunner();
    const { manager } = runner;
    try {
      await manager.query(LIFT_LIMITS);
      const [{ name }] = await manager.query<[{ name: string }]>('SELECT DATABASE() AS name');
      const [{ held }] = await manager.query<[{ held: number | null }]>('SELECT GET_LOCK(?, ?) AS held', [lockName(name), LOCK_WAIT_S]);
      if (held !== 1) throw new Error(LOCK_TIMEOUT_MESSAGE);
      const result = await work(executorOn(dataSource, runner));
      await manager.query('SELECT RELEASE_LOCK(?)', [lockName(name)]);
      await manager.query(SET_SESSION);
      return result;
    } catch (error) {
      await destroyConnectionOf(runner); // closing it also releases the lock
      throw error;
    } finally {
      await runner.release();
    }
  }

  // A batch is a transaction that writes many records, so it may wait longer for a row lock than a request.
  async prepareBulk(dataSource: DataSource): Promise<void> {
    await dataSource.query(LIFT_LIMITS);
    const connection = await connectionOf(this.writePool);
    await new MysqlStatements(connection, this.clock).write(LIFT_LIMITS, []).finally(() => connection.release());
  }

  async insert(manager: EntityManager, table: string, columns: readonly string[], rows: RowValues[], suffix: string): Promise<void> {
    await manager.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ? ${suffix}`, [rows]);
  }

  /** MySQL would cache `update_time` if SET_SESSION didn't set `information_schema_stats_expiry` to 0. */
  async changeMarker(tables: readonly string[]): Promise<string | undefined> {
    const [[times, isRecent]] = await this.read<[times: string, isRecent: number]>(
      `SELECT GROUP_CONCAT(COALESCE(update_time, '-') ORDER BY table_name), COALESCE(MAX(update_time) > NOW() - INTERVAL ${SETTLED_SECONDS} SECOND, 0) FROM information_schema.tables
       WHERE table_schema = DATABASE() AND table_name IN (${tables.map(() => '?').join(', ')})`,
      tables,
    );
    return isRecent === 1 ? undefined : times;
  }
}

function connectionOf(pool: Pool): Promise<PoolConnection> {
  return new Promise((resolve, reject) => {
    pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
  });
}

/** Locks are server-wide, so the name includes the database, hashed to stay within MySQL's 64 characters. */
function lockName(database: string): string {
  return `frontdesk.${createHash('sha1').update(database).digest('hex')}`;
}
