import type { Duplex } from 'node:stream';
import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { type Connection, type ConnectionOptions, createConnection, type Pool, type PoolConnection, type QueryError } from 'mysql2';
import { Logger } from '@nestjs/common';
import type { PoolUsage } from '../dialect';
import { errorKind } from './statements';

const CHECK_INTERVAL_MS = 250;
const CHECK_TIMEOUT_MS = 1_000;

/**
 * Whether the server is read-only for everybody, and whether it may be for this user. Only MariaDB runs the first version comment, and only
 * MySQL the second. Not a ping or SHOW: a Galera node without a quorum responds to those.
 */
const FIND_READ_ONLY = `SELECT @@innodb_read_only, @@read_only NOT IN ('0', 'OFF')
  /*M!100100 OR @@tx_read_only */ /*!80000 OR @@super_read_only OR @@transaction_read_only */`;
/** Fails as read-only if read_only applies to this user: some users are exempt. Both servers check read_only before they look for the table. */
const WRITE_NOTHING = 'DELETE FROM frontdesk_no_table WHERE FALSE';
const READ_ONLY_ERROR = Object.assign(new Error('The server has innodb_read_only set.'), { errno: 1836 });

/** Checks the server over a connection of its own. A slow statement doesn't mean that the server hangs, but an unanswered check does. */
export class MysqlHeartbeat {
  /** Whether the last check timed out. A refused connection doesn't count, because it keeps nobody waiting. */
  isHanging = false;
  /** Number of callers that wait because all connections of their pool are in use. */
  waiting = 0;
  private readonly logger = new Logger('Database');
  /** The pools' connections, in the order in which they were opened. */
  private readonly watchedConnections = new Map<PoolConnection, Pool>();
  private readonly idleConnections = new Set<PoolConnection>();
  /** Connections that have been closed, or will be when they are released. */
  private readonly closingConnections = new WeakSet<PoolConnection>();
  private connection?: Connection;
  /** The connection on which the user turned out to be exempt from read_only. */
  private exemptConnection?: Connection;
  private currentCheck?: Promise<CheckOutcome | undefined>;
  private isStopped = false;
  /** Result of the last check. Undefined until the database first responds: startup reports an earlier failure, so none is logged here. */
  private state?: 'serving' | 'read-only' | 'unresponsive';
  /** Whether open connections may still lead to a server that was read-only. */
  private wasReadOnly = false;

  constructor(private readonly options: ConnectionOptions) {
    void this.start();
  }

  /** Tracks the pool's connections, which are aborted when the server hangs. */
  watch(pool: Pool): void {
    pool.on('connection', (connection) => {
      this.watchedConnections.set(connection, pool);
      streamOf(connection).once('close', () => this.forget(connection)); // the driver emits nothing when it destroys a connection
    });
    pool.on('acquire', (connection) => this.idleConnections.delete(connection));
    pool.on('release', (connection) => this.idleConnections.add(connection));
  }

  get usage(): PoolUsage {
    return { open: this.watchedConnections.size, idle: this.idleConnections.size, waiting: this.waiting };
  }

  private forget(connection: PoolConnection): void {
    this.watchedConnections.delete(connection);
    this.idleConnections.delete(connection);
  }

  /**
   * Closes all connections after a write on this one was refused as read-only: after a switchover, the address leads to another server, but
   * connections to the old one stay open. Does nothing if this connection is already being closed. While the server is known to be
   * read-only, closes only connections of the same pool, so that reads on the other pool stay fast.
   */
  closeAfterRefusal(connection: PoolConnection): void {
    if (this.closingConnections.has(connection)) return;
    const pool = this.watchedConnections.get(connection);
    const isAffected = (each: Pool) => !this.wasReadOnly || each === pool;
    this.close([...this.watchedConnections].flatMap(([each, itsPool]) => (isAffected(itsPool) ? each : [])));
    this.wasReadOnly = true;
  }

  /**
   * Closes the connections that were opened before this one, if they may lead to an old, read-only server: a read there would miss what this
   * connection has just committed.
   */
  closeAfterCommit(connection: PoolConnection): void {
    if (!this.wasReadOnly) return;
    const all = [...this.watchedConnections.keys()];
    this.close(all.slice(0, all.indexOf(connection)));
  }

  /** Closes idle connections immediately, and others when they are released. */
  private close(connections: readonly PoolConnection[]): void {
    for (const connection of connections) {
      this.closingConnections.add(connection);
      connection.release = () => connection.destroy();
      if (this.idleConnections.has(connection)) connection.destroy();
    }
  }

  /** Checks until stopped. Not a PollLoop, which would delay the check after a failure, and keep a command's process alive. */
  private async start(): Promise<void> {
    while (!this.isStopped) {
      const outcome = await this.check();
      const isHanging = outcome === undefined;
      this.log(isHanging ? hangError() : outcome.error);
      if (isHanging && !this.isHanging) for (const connection of this.watchedConnections.keys()) abort(connection);
      this.isHanging = isHanging;
      if (isHanging) this.disconnect();
      await sleep(CHECK_INTERVAL_MS, undefined, { ref: false });
    }
    this.disconnect();
  }

  stop(): void {
    this.isStopped = true;
    this.disconnect();
  }

  async isServing(): Promise<boolean> {
    if (this.isStopped || this.isHanging) return false;
    const outcome = await this.check();
    return outcome !== undefined && !outcome.error;
  }

  /** Resolves with the outcome of any response, even an error; undefined if there is none in time. */
  private check(): Promise<CheckOutcome | undefined> {
    return (this.currentCheck ??= withTimeout(this.probe()).finally(() => (this.currentCheck = undefined)));
  }

  /** Uses a new connection if the server was read-only, or turns out to be: the address may lead to another server by now. */
  private async probe(): Promise<CheckOutcome> {
    const isReconnecting = this.wasReadOnly;
    if (isReconnecting) this.endConnection();
    const isNew = !this.connection;
    const error = await this.findProblem(this.getConnection());
    const isReadOnly = errorKind(error) === 'read-only';
    if (isReadOnly && !this.wasReadOnly) this.close([...this.watchedConnections.keys()]);
    this.wasReadOnly ||= isReadOnly;
    if (isReconnecting && !error) this.resumeWrites();
    return isReadOnly && !isNew ? this.probe() : { error };
  }

  /** The error if the connection is lost, or the server fails or refuses writes. */
  private async findProblem(connection: Connection): Promise<Error | undefined> {
    const { error, rows } = await queryOn(connection, FIND_READ_ONLY);
    if (error) return error;
    const [[isReadOnly, mayBeReadOnly]] = rows;
    if (isReadOnly) return READ_ONLY_ERROR;
    if (!mayBeReadOnly || this.exemptConnection === connection) return undefined;
    const { error: refusal } = await queryOn(connection, WRITE_NOTHING);
    if (refusal && ['read-only', 'disconnected'].includes(errorKind(refusal) ?? '')) return refusal;
    this.exemptConnection = connection;
    return undefined;
  }

  private resumeWrites(): void {
    this.wasReadOnly = false;
    this.close([...this.watchedConnections.keys()]);
    this.logger.log('The database in DATABASE_URL is no longer read-only: it accepts writes on new connections.');
  }

  private log(error?: Error): void {
    const previous = this.state;
    const state = !error ? 'serving' : errorKind(error) === 'read-only' ? 'read-only' : 'unresponsive';
    if (previous === undefined && state === 'unresponsive') return;
    this.state = state;
    if (previous === state || this.isStopped) return;
    const detail = error?.message;
    if (state === 'unresponsive') this.logger.warn({ message: 'The database in DATABASE_URL is not responding.', detail });
    if (state === 'read-only') this.logger.warn({ message: 'The database in DATABASE_URL is read-only.', detail });
    if (state === 'serving' && previous === 'unresponsive') this.logger.log('The database is responding again.');
  }

  private getConnection(): Connection {
    return (this.connection ??= this.connect());
  }

  private connect(): Connection {
    const connection = createConnection({ ...this.options, connectTimeout: 0 });
    const forget = () => (this.connection = this.connection === connection ? undefined : this.connection);
    connection.on('error', forget);
    streamOf(connection).once('close', forget); // the driver emits no event for a refused connection
    return connection;
  }

  private endConnection(): void {
    this.connection?.end();
    this.connection = undefined;
  }

  private disconnect(): void {
    if (this.connection) abort(this.connection);
    this.connection = undefined;
  }
}

interface CheckOutcome {
  error?: Error;
}

function queryOn(connection: Connection, sql: string): Promise<{ error: QueryError | null; rows: [number, number][] }> {
  return new Promise((resolve) =>
    connection.query({ sql, rowsAsArray: true }, (error, rows) => resolve({ error, rows: rows as unknown as [number, number][] })),
  );
}

/** Resolves with undefined after the timeout. */
async function withTimeout<T>(result: Promise<T>): Promise<T | undefined> {
  const first = await Promise.race([result, sleep(CHECK_TIMEOUT_MS, undefined, { ref: false })]);
  return first ?? (await Promise.race([result, yieldToEventLoop(undefined)])); // if this process was blocked, a response may have arrived but not been read
}

/** Closes a connection and fails its pending queries; the driver's own methods wait for the server. */
export function abort(connection: Connection): void {
  streamOf(connection).destroy(hangError());
}

function streamOf(connection: Connection): Duplex {
  return (connection as unknown as { stream: Duplex }).stream;
}

export function hangError(): Error {
  return Object.assign(new Error('The database is not responding.'), { code: 'ETIMEDOUT' });
}
