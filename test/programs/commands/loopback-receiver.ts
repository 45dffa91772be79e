import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Received {
  path: string;
  /** `webhook-id`, the same in each attempt. */
  id: string;
  body: string;
}

/** Receives over a real socket from services in their own processes, whose settings need REACH_LOOPBACK. */
export class LoopbackReceiver {
  readonly accepted: Received[] = [];
  readonly refused: Received[] = [];
  /** Whether a request to this path gets 200, else 503. */
  accepts: (path: string) => boolean = () => true;
  private readonly server = createServer((request, response) => void this.serve(request, response));

  async start(): Promise<void> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** The ids accepted at a path, in order. */
  idsAt(path: string): string[] {
    return this.accepted.filter((received) => received.path === path).map(({ id }) => id);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', headers } = request;
    const received = { path, id: String(headers['webhook-id']), body: await text(request) };
    const isAccepted = this.accepts(path);
    (isAccepted ? this.accepted : this.refused).push(received);
    response.writeHead(isAccepted ? 200 : 503).end();
  }
}
