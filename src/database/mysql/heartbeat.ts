import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Duplex } from 'node:stream';
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2';

const INTERVAL_MILLISECONDS = 250;
const ANSWER_MILLISECONDS = 1_000;

/**
 * Asks a server, on a connection outside the pool, whether it still answers. A statement may rightly take long; a server that
 * does not answer a ping hangs, and all that wait for it with it.
 */
export class MysqlHeartbeat {
  /** The server did not answer when it was last asked. One that refuses the connection at once does not count: it keeps nobody waiting. */
  isHanging = false;
  private connection?: Connection;
  private isStopped = false;

  constructor(
    private readonly options: ConnectionOptions,
    private readonly onHang: () => void,
  ) {}

  async start(): Promise<void> {
    while (!this.isStopped) {
      const isHanging = await this.isUnanswered();
      if (isHanging && !this.isHanging) this.onHang();
      this.isHanging = isHanging;
      if (isHanging) this.disconnect();
      await sleep(INTERVAL_MILLISECONDS, undefined, { ref: false });
    }
    this.disconnect();
  }

  stop(): void {
    this.isStopped = true;
    this.disconnect();
  }

  /**
   * Whether the server carries out a statement now. Unlike a ping, a statement is refused by a server that is up and can't
   * serve, such as a Galera node without a majority.
   */
  async isServing(): Promise<boolean> {
    if (this.isStopped || this.isHanging) return false;
    const answer = new Promise<boolean>((resolve) => this.connected().query('SELECT 1', (error) => resolve(!error)));
    return (await answerIn(answer)) ?? false;
  }

  /** Any answer counts, a refusal too. */
  private async isUnanswered(): Promise<boolean> {
    const answer = new Promise<true>((resolve) => this.connected().ping(() => resolve(true)));
    return (await answerIn(answer)) === undefined;
  }

  private connected(): Connection {
    return (this.connection ??= this.connect());
  }

  private connect(): Connection {
    const connection = createConnection({ ...this.options, connectTimeout: 0 });
    const forget = () => (this.connection = this.connection === connection ? undefined : this.connection);
    connection.on('error', forget);
    streamOf(connection).once('close', forget); // the driver emits nothing for a connection that is refused
    return connection;
  }

  private disconnect(): void {
    if (this.connection) cut(this.connection);
    this.connection = undefined;
  }
}

/** The answer, or undefined when it doesn't come in time. */
async function answerIn<T>(answer: Promise<T>): Promise<T | undefined> {
  const late = Symbol('late');
  const first = await Promise.race([answer, sleep(ANSWER_MILLISECONDS, late, { ref: false })]);
  if (first !== late) return first;
  return Promise.race([answer, nextTurn(undefined)]); // when this process was busy itself, the answer is here and only not yet read
}

/** Ends a connection so that what waits for its answer is told so; the driver's own ways wait for the server to close it. */
export function cut(connection: Connection): void {
  streamOf(connection).destroy(hanging());
}

function streamOf(connection: Connection): Duplex {
  return (connection as unknown as { stream: Duplex }).stream;
}

export function hanging(): Error {
  return Object.assign(new Error('The database hangs.'), { code: 'ETIMEDOUT' });
}
