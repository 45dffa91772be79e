import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Duplex } from 'node:stream';
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2';

const INTERVAL_MILLISECONDS = 250;
const ANSWER_MILLISECONDS = 1_000;

/**
 * Asks a server, on a connection of its own, whether it still answers. A statement may rightly take long; a server that
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

  private async isUnanswered(): Promise<boolean> {
    let isAnswered = false;
    const answer = this.ask().then(() => (isAnswered = true));
    await Promise.race([answer, sleep(ANSWER_MILLISECONDS, undefined, { ref: false })]);
    if (!isAnswered) await nextTurn(); // when this process was busy itself, the answer is here and only not yet read
    return !isAnswered;
  }

  /** Resolved by any answer, a refusal too. */
  private ask(): Promise<void> {
    const connection = (this.connection ??= this.connect());
    return new Promise((resolve) => connection.ping(() => resolve()));
  }

  private connect(): Connection {
    const connection = createConnection({ ...this.options, connectTimeout: 0 });
    const forget = () => (this.connection = this.connection === connection ? undefined : this.connection);
    connection.on('error', forget).on('end', forget);
    return connection;
  }

  private disconnect(): void {
    if (this.connection) cut(this.connection);
    this.connection = undefined;
  }
}

/** Ends a connection so that what waits for its answer is told so; the driver's own ways wait for the server to close it. */
export function cut(connection: Connection): void {
  (connection as unknown as { stream: Duplex }).stream.destroy(hanging());
}

export function hanging(): Error {
  return Object.assign(new Error('The database hangs.'), { code: 'ETIMEDOUT' });
}
