import { createPool, type Pool, type PoolConnection, type PoolOptions } from 'mysql2';
import { DataSource, type DataSourceOptions, type QueryRunner, type ReplicationMode } from 'typeorm';
import { withSafeSubscribers } from '../dialect';
import { abort, hangError, type MysqlHeartbeat } from './heartbeat';
import { errorKind, POOL_BUSY } from './statements';

/**
 * Maximum wait for a free connection, in ticks of a timer; mysql2's own queue has no timeout. Counts ticks, not time: while this process is
 * blocked, as during startup, no connection can become free.
 */
const MAX_WAIT_TICKS = 10;
const TICK_MS = 100;

/**
 * Session settings, independent of the server's. Text is UTF-8 even with skip-character-set-client-handshake. The driver escapes parameters
 * with backslashes, so NO_BACKSLASH_ESCAPES must be off: with it, an escaped quote would end the string. Error messages are in English,
 * because key names are parsed from them. Row locks time out after 1 s, statements after 30 s (on MySQL, SELECTs only). GROUP_CONCAT isn't cut at MySQL's 1,024
 * bytes, and a table's `update_time` isn't cached. Only MariaDB runs the first version comment, only MySQL the second.
 */
export const SET_SESSION = `SET NAMES utf8mb4 COLLATE utf8mb4_bin, SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION',
  sql_safe_updates = 0, autocommit = 1, lc_messages = 'en_US', innodb_lock_wait_timeout = 1, group_concat_max_len = 16777216
  /*M!100100 , max_statement_time = 30 */ /*!80000 , max_execution_time = 30000, information_schema_stats_expiry = 0 */`;

/** Relaxes the limits of SET_SESSION for migrations and bulk writes, each of which uses a single connection. */
export const LIFT_LIMITS = `SET SESSION innodb_lock_wait_timeout = 50
  /*M!100100 , max_statement_time = 0 */ /*!80000 , max_execution_time = 0 */`;

/** READ COMMITTED takes gap locks only for foreign-key and duplicate-key checks; other gap locks would cause deadlocks between writers. */
const SET_ISOLATION = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';

/** A pool that fails fast when no connection is free or the server hangs. `settings`: more SET statements for its sessions. */
export function createWatchedPool(options: PoolOptions, heartbeat: MysqlHeartbeat, ...settings: string[]): Pool {
  const pool = createPool(options);
  heartbeat.watch(pool);
  pool.on('connection', (connection) => {
    for (const setting of [SET_SESSION, SET_ISOLATION, ...settings]) connection.query(setting, (error) => error && abort(connection));
  });
  limitWaiting(pool, heartbeat);
  return pool;
}

function limitWaiting(pool: Pool, heartbeat: MysqlHeartbeat): void {
  const getConnection = pool.getConnection.bind(pool);
  let queuedCount = 0;
  pool.on('enqueue', () => queuedCount++);
  pool.getConnection = (callback: Parameters<Pool['getConnection']>[0]): void => {
    if (heartbeat.isHanging) {
      process.nextTick(callback, hangError());
      return;
    }
    let ticks = 0;
    const timer = setInterval(() => {
      if (++ticks < MAX_WAIT_TICKS) return;
      clearInterval(timer);
      callback(Object.assign(new Error('No database connection is available.'), { code: POOL_BUSY }), undefined as never);
    }, TICK_MS);
    const queuedBefore = queuedCount;
    getConnection((error, connection) => {
      clearInterval(timer);
      if (isQueued) heartbeat.waiting--;
      if (ticks < MAX_WAIT_TICKS) callback(error, connection);
      else if (!error) connection.release();
    });
    const isQueued = queuedCount > queuedBefore; // `enqueue` is emitted during the call; the callback runs later
    if (isQueued) heartbeat.waiting++;
  };
}

/** Destroys the connection of a query runner that is released in a transaction: the pool's next user would write in that transaction. */
export class MysqlDataSource extends DataSource {
  constructor(
    options: DataSourceOptions,
    private readonly onReadOnly: (connection: PoolConnection) => void,
  ) {
    super(options);
  }

  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    const runner = withSafeSubscribers(super.createQueryRunner(mode));
    const [query, release] = [runner.query.bind(runner), runner.release.bind(runner)];
    runner.query = async (...args: Parameters<typeof query>) => {
      try {
        return await query(...args);
      } catch (error) {
        if (errorKind(error) === 'read-only') this.onReadOnly((await runner.connect()) as PoolConnection);
        throw error;
      }
    };
    runner.release = async () => {
      if (runner.isTransactionActive) await destroyConnectionOf(runner);
      await release();
    };
    return runner;
  }
}

export async function destroyConnectionOf(runner: QueryRunner): Promise<void> {
  await runner.connect().then(
    (connection: PoolConnection) => connection.destroy(),
    () => undefined, // no connection to destroy
  );
}
