import type { Duplex } from 'node:stream';
import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import {
  type Connection,
  type ConnectionOptions,
  createConnection,
  createPool,
  type Pool,
  type PoolConnection,
  type PoolOptions,
} from 'mysql2';
import { Logger } from '@nestjs/common';
import { DataSource, type QueryRunner, type ReplicationMode } from 'typeorm';
import { type PoolUsage, withSafeSubscribers } from '../dialect';
import { POOL_BUSY } from './statements';

/**
 * Maximum wait for a free connection, in ticks of a timer; mysql2's own queue has no timeout. Ticks, because while this process is
 * blocked, as at its start, no connection can become free.
 */
const WAIT_TICKS = 10;
const TICK_MS = 100;

/**
 * Session settings, independent of the server's. The texts are UTF-8 even with skip-character-set-client-handshake. The driver escapes
 * parameters with backslashes, so NO_BACKSLASH_ESCAPES must be off; if it were on, an escaped quote would end the string. Names of keys are
 * read from English error messages. Row locks time out after 1 s, statements after 30 s (on MySQL, SELECTs only); GROUP_CONCAT isn't cut at MySQL's
 * 1,024 bytes; and a table's `update_time` isn't cached. MariaDB alone runs the first version comment, MySQL alone the second.
 */
export const SET_SESSION = `SET NAMES utf8mb4 COLLATE utf8mb4_bin, SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION',
  sql_safe_updates = 0, autocommit = 1, lc_messages = 'en_US', innodb_lock_wait_timeout = 1, group_concat_max_len = 16777216
  /*M!100100 , max_statement_time = 30 */ /*!80000 , max_execution_time = 30000, information_schema_stats_expiry = 0 */`;

/** Relaxes the limits of SET_SESSION for migrations and bulk writes, on the only connection they use. */
export const LIFT_LIMITS = `SET SESSION innodb_lock_wait_timeout = 50
  /*M!100100 , max_statement_time = 0 */ /*!80000 , max_execution_time = 0 */`;

/** Takes gap locks only for foreign-key and duplicate-key checks; others would cause deadlocks between writers. */
const SET_ISOLATION = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';

/** A pool that fails fast when no connection is free or the server hangs. `settings` come after those of every session. */
export function createWatchedPool(options: PoolOptions, heartbeat: MysqlHeartbeat, ...settings: string[]): Pool {
  const pool = createPool(options);
  pool.on('connection', (connection) => {
    heartbeat.watch(connection);
    for (const setting of [SET_SESSION, SET_ISOLATION, ...settings]) connection.query(setting, (error) => error && abort(connection));
  });
  limitWaiting(pool, heartbeat);
  return pool;
}

/** Reads mysql2's internals, for lack of a public API. */
export function usageOf(...pools: Pool[]): PoolUsage {
  const sum = (list: string) => pools.reduce((count, pool) => count + (pool as unknown as Record<string, unknown[]>)[list].length, 0);
  return { open: sum('_allConnections'), idle: sum('_freeConnections'), waiting: sum('_connectionQueue') };
}

function limitWaiting(pool: Pool, heartbeat: MysqlHeartbeat): void {
  const getConnection = pool.getConnection.bind(pool);
  pool.getConnection = (callback: Parameters<Pool['getConnection']>[0]): void => {
    if (heartbeat.isHanging) {
      process.nextTick(callback, hangError());
      return;
    }
    let ticks = 0;
    const timer = setInterval(() => {
      if (++ticks < WAIT_TICKS) return;
      clearInterval(timer);
      callback(Object.assign(new Error('No database connection is available.'), { code: POOL_BUSY }), undefined as never);
    }, TICK_MS);
    getConnection((error, connection) => {
      clearInterval(timer);
      if (ticks < WAIT_TICKS) callback(error, connection);
      else if (!error) connection.release();
    });
  };
}

/** Destroys the connection of a query runner released in a transaction: the pool's next user would write in that transaction. */
export class MysqlDataSource extends DataSource {
  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    const runner = withSafeSubscribers(super.createQueryRunner(mode));
    const release = runner.release.bind(runner);
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

const INTERVAL_MS = 250;
const TIMEOUT_MS = 1_000;

/** Pings the server on a connection outside the pool. A slow statement doesn't mean that the server hangs; an unanswered ping does. */
export class MysqlHeartbeat {
  /** Whether the last ping timed out. A refused connection doesn't count, because it keeps nobody waiting. */
  isHanging = false;
  private readonly logger = new Logger('Database');
  private readonly watched = new Set<Connection>();
  private connection?: Connection;
  private isStopped = false;
  /** Whether the last ping failed. Undefined until one succeeds: until then, nothing is logged, because startup reports the failure. */
  private isAway?: boolean;

  constructor(private readonly options: ConnectionOptions) {
    void this.start();
  }

  /** Aborts the connection when the server hangs. */
  watch(connection: Connection): void {
    this.watched.add(connection);
    for (const end of ['end', 'error']) connection.once(end, () => this.watched.delete(connection));
  }

  private async start(): Promise<void> {
    while (!this.isStopped) {
      const outcome = await this.ping();
      const isHanging = outcome === undefined;
      this.log(isHanging ? hangError() : outcome.error);
      if (isHanging && !this.isHanging) this.watched.forEach(abort);
      this.isHanging = isHanging;
      if (isHanging) this.disconnect();
      await sleep(INTERVAL_MS, undefined, { ref: false });
    }
    this.disconnect();
  }

  stop(): void {
    this.isStopped = true;
    this.disconnect();
  }

  /** Runs a statement, not a ping: a server that can't serve, such as a Galera node without a quorum, still responds to pings. */
  async isServing(): Promise<boolean> {
    if (this.isStopped || this.isHanging) return false;
    return (await inTime(new Promise<boolean>((resolve) => this.connected().query('SELECT 1', (error) => resolve(!error))))) ?? false;
  }

  /** Resolves on any response, an error included; with undefined if none comes in time. */
  private ping(): Promise<{ error?: Error } | undefined> {
    return inTime(new Promise((resolve) => this.connected().ping((error) => resolve({ error: error ?? undefined }))));
  }

  private log(error?: Error): void {
    const wasAway = this.isAway;
    if (wasAway === undefined && error) return;
    this.isAway = error !== undefined;
    if (wasAway === undefined || wasAway === this.isAway || this.isStopped) return;
    if (error) this.logger.warn({ message: 'The database in DATABASE_URL is not responding.', detail: error.message });
    else this.logger.log('The database is responding again.');
  }

  private connected(): Connection {
    return (this.connection ??= this.connect());
  }

  private connect(): Connection {
    const connection = createConnection({ ...this.options, connectTimeout: 0 });
    const forget = () => (this.connection = this.connection === connection ? undefined : this.connection);
    connection.on('error', forget);
    streamOf(connection).once('close', forget); // the driver emits no event for a refused connection
    return connection;
  }

  private disconnect(): void {
    if (this.connection) abort(this.connection);
    this.connection = undefined;
  }
}

/** Undefined after the timeout. */
async function inTime<T>(result: Promise<T>): Promise<T | undefined> {
  const first = await Promise.race([result, sleep(TIMEOUT_MS, undefined, { ref: false })]);
  return first ?? (await Promise.race([result, yieldToEventLoop(undefined)])); // after this process was blocked, a response may be waiting to be read
}

/** Closes a connection and fails its pending queries; the driver's own methods wait for the server. */
function abort(connection: Connection): void {
  streamOf(connection).destroy(hangError());
}

function streamOf(connection: Connection): Duplex {
  return (connection as unknown as { stream: Duplex }).stream;
}

function hangError(): Error {
  return Object.assign(new Error('The database is not responding.'), { code: 'ETIMEDOUT' });
}
