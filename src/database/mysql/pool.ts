import { createPool, type Pool, type PoolConnection, type PoolOptions } from 'mysql2';
import type { PoolUsage } from '../dialect';
import { POOL_BUSY } from './errors';
import { cut, hangError, MysqlHeartbeat } from './heartbeat';

/** Maximum wait for a free connection; mysql2's own queue has no timeout. */
const WAIT_TIMEOUT_MS = 1_000;

/**
 * Session settings, independent of the server's. The driver escapes parameters with backslashes, so NO_BACKSLASH_ESCAPES must be
 * off; if it were on, an escaped quote would end the string. Row locks time out after 1 s, statements after 30 s (on MySQL,
 * SELECTs only); the time of a table's last write is never a cached one; one version comment applies only to MariaDB, the other only to MySQL.
 */
export const SET_SESSION = `SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION', innodb_lock_wait_timeout = 1
  /*M!100100 , max_statement_time = 30 */ /*!80000 , max_execution_time = 30000, information_schema_stats_expiry = 0 */`;

/** For migrations and bulk writes, on the only connection they use. */
export const LIFT_LIMITS = `SET SESSION innodb_lock_wait_timeout = 50
  /*M!100100 , max_statement_time = 0 */ /*!80000 , max_execution_time = 0 */`;

/** Takes gap locks only for foreign-key and duplicate-key checks; others would cause deadlocks between writers. */
const SET_ISOLATION = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';

/** `isServing` uses a connection outside the pool, so it never waits for one. */
export type WatchedPool = Pool & { isServing(): Promise<boolean> };

/** A pool that fails fast when no connection is free or the server hangs. */
export function createWatchedPool(options: PoolOptions): WatchedPool {
  const pool = createPool(options);
  const connections = new Set<PoolConnection>();
  pool.on('connection', (connection) => {
    connections.add(connection);
    connection.once('end', () => connections.delete(connection)).once('error', () => connections.delete(connection));
    for (const setting of [SET_SESSION, SET_ISOLATION]) connection.query(setting, (error) => error && cut(connection));
  });
  const heartbeat = new MysqlHeartbeat(options, () => connections.forEach(cut));
  void heartbeat.start();
  limitWaiting(pool, heartbeat);
  const end = pool.end.bind(pool);
  pool.end = (done?: Parameters<Pool['end']>[0]): void => {
    heartbeat.stop();
    end(done);
  };
  return Object.assign(pool, { isServing: () => heartbeat.isServing() });
}

/** Reads mysql2's internals: there is no public API for this. */
export function usageOf(pool: Pool): PoolUsage {
  const { _allConnections, _freeConnections, _connectionQueue } = pool as unknown as Record<string, { length: number }>;
  return { open: _allConnections.length, idle: _freeConnections.length, waiting: _connectionQueue.length };
}

function limitWaiting(pool: Pool, heartbeat: MysqlHeartbeat): void {
  const getConnection = pool.getConnection.bind(pool);
  pool.getConnection = (callback: Parameters<Pool['getConnection']>[0]): void => {
    if (heartbeat.isHanging) {
      process.nextTick(callback, hangError());
      return;
    }
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      callback(Object.assign(new Error('No database connection is available.'), { code: POOL_BUSY }), undefined as never);
    }, WAIT_TIMEOUT_MS);
    getConnection((error, connection) => {
      clearTimeout(timer);
      if (!isLate) callback(error, connection);
      else if (!error) connection.release();
    });
  };
}
