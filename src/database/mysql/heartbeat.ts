import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2';

const INTERVAL_MS = 250;
const TIMEOUT_MS = 1_000;

/** Pings the server on a connection outside the pool. A slow statement is no sign of a hang; an unanswered ping is. */
export class MysqlHeartbeat {
  /** The last ping timed out. A refused connection doesn't count: it keeps nobody waiting. */
  isHanging = false;
  private connection?: Connection;
  private isStopped = false;

  constructor(
    private readonly options: ConnectionOptions,
    private readonly onHang: () => void,
  ) {}

  async start(): Promise<void> {
    while (!this.isStopped) {
      const isHanging = !(await this.ping());
      if (isHanging && !this.isHanging) this.onHang();
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

  /** Runs a statement: a server that can't serve, such as a Galera node without a quorum, still responds to pings. */
  async isServing(): Promise<boolean> {
    if (this.isStopped || this.isHanging) return false;
    return inTime(new Promise((resolve) => this.connected().query('SELECT 1', (error) => resolve(!error))));
  }

  /** Whether there is any response in time, an error included. */
  private ping(): Promise<boolean> {
    return inTime(new Promise((resolve) => this.connected().ping(() => resolve(true))));
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
    if (this.connection) cut(this.connection);
    this.connection = undefined;
  }
}

/** False after the timeout. */
async function inTime(result: Promise<boolean>): Promise<boolean> {
  const first = await Promise.race([result, sleep(TIMEOUT_MS, undefined, { ref: false })]);
  return first ?? (await Promise.race([result, nextTurn(false)])); // after this process was blocked, a response may be waiting to be read
}

/** Closes a connection and fails its pending queries; the driver's own methods wait for the server. */
export function cut(connection: Connection): void {
  streamOf(connection).destroy(hangError());
}

function streamOf(connection: Connection): Duplex {
  return (connection as unknown as { stream: Duplex }).stream;
}

export function hangError(): Error {
  return Object.assign(new Error('The database is not responding.'), { code: 'ETIMEDOUT' });
}
