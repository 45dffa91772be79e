import type { Duplex } from 'node:stream';
import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2';
import { Logger } from '@nestjs/common';

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
export function abort(connection: Connection): void {
  streamOf(connection).destroy(hangError());
}

function streamOf(connection: Connection): Duplex {
  return (connection as unknown as { stream: Duplex }).stream;
}

export function hangError(): Error {
  return Object.assign(new Error('The database is not responding.'), { code: 'ETIMEDOUT' });
}
