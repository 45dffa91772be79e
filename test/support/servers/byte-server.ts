import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { inspect } from 'node:util';

/** Below the time that a test has. */
const LIMIT_MS = 110_000;

/** A raw TCP or TLS server on 127.0.0.1, for responses that an HTTP server would not send. */
export class ByteServer {
  readonly sockets: Socket[] = [];
  /** Text received, by connection. */
  readonly received: string[] = [];
  private readonly watchers = new Set<() => void>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** Calls `answer` on a connection, with '', and whenever something has arrived, with all that the connection has received. */
  static async start(answer: (socket: Socket, text: string) => void, tls?: TlsOptions): Promise<ByteServer> {
    const server = tls ? createTlsServer(tls) : createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const receiver = new ByteServer(server, (server.address() as AddressInfo).port);
    server.on('tlsClientError', () => undefined);
    return receiver.answering(tls ? 'secureConnection' : 'connection', answer);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Waits for a condition on the received text or the sockets. @throws Error that shows it, before the test times out */
  async until(condition: () => boolean): Promise<void> {
    const limit = new AbortController();
    const isLate = pause(LIMIT_MS, true, { ref: false, signal: limit.signal }).catch(() => true);
    while (!condition()) {
      const change = new Promise<void>((resolve) => this.watchers.add(resolve));
      if (await Promise.race([change, isLate])) throw new Error(`Waited for ${condition.toString()}; received ${inspect(this.received)}.`);
    }
    limit.abort();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answering(event: string, answer: (socket: Socket, text: string) => void): this {
    this.server.on(event, (socket: Socket) => {
      const index = this.sockets.push(socket) - 1;
      this.received[index] = '';
      answer(socket, '');
      this.changed();
      socket.on('error', () => undefined).on('close', () => this.changed());
      socket.on('data', (chunk) => {
        this.received[index] += chunk.toString('latin1');
        answer(socket, this.received[index]);
        this.changed();
      });
    });
    return this;
  }

  private changed(): void {
    for (const watcher of this.watchers) watcher();
    this.watchers.clear();
  }
}
