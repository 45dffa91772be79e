import { createPool, type Pool, type PoolConnection, type PoolOptions } from 'mysql2';
import { cut, hanging, MysqlHeartbeat } from './heartbeat';

/** Who waits longer for a connection is told so: mysql2's own queue has no end in time. */
const WAIT_MILLISECONDS = 1_000;

/**
 * How every session is set up, whatever the server's settings: a value that doesn't fit is an error, and a backslash
 * escapes, for that is how the driver writes parameters into statements (under NO_BACKSLASH_ESCAPES a quote would end a
 * text). Who waits for a row is told so after a second. No statement takes longer than half a minute, on MySQL no SELECT:
 * MariaDB and MySQL each skip the other's comment.
 */
export const SET_SESSION = `SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION', innodb_lock_wait_timeout = 1
  /*M!100100 , max_statement_time = 30 */ /*!80000 , max_execution_time = 30000 */`;

/** For a migration or an import, which may take its time, on the one connection that it uses. */
export const LIFT_LIMITS = `SET SESSION innodb_lock_wait_timeout = 50
  /*M!100100 , max_statement_time = 0 */ /*!80000 , max_execution_time = 0 */`;

/** Of two writers that meet, one waits for the other's row, and for no gap between rows, which would end in deadlocks. */
const SET_ISOLATION = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';

/** `isServing` asks the server on a connection outside the pool, so that it waits for nobody. */
export type WatchedPool = Pool & { isServing(): Promise<boolean> };

/** A pool whose callers are never left waiting: for a free connection, or for a server that hangs. */
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
  stopWith(pool, heartbeat);
  return Object.assign(pool, { isServing: () => heartbeat.isServing() });
}

type Taken = Parameters<Pool['getConnection']>[0];

function limitWaiting(pool: Pool, heartbeat: MysqlHeartbeat): void {
  const take = pool.getConnection.bind(pool);
  pool.getConnection = (taken: Taken): void => {
    if (heartbeat.isHanging) {
      process.nextTick(taken, hanging());
      return;
    }
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      taken(Object.assign(new Error('No connection to the database is free.'), { code: 'POOL_BUSY' }), undefined as never);
    }, WAIT_MILLISECONDS);
    take((error, connection) => {
      clearTimeout(timer);
      if (!isLate) taken(error, connection);
      else if (!error) connection.release();
    });
  };
}

function stopWith(pool: Pool, heartbeat: MysqlHeartbeat): void {
  const end = pool.end.bind(pool);
  pool.end = (done?: Parameters<Pool['end']>[0]): void => {
    heartbeat.stop();
    end(done);
  };
}
