import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

type Answer = (response: ServerResponse, request: ReceivedRequest) => void;

/** A service that handlers deliver to, on loopback. */
export class Receiver {
  readonly requests: ReceivedRequest[] = [];
  /** Answers the next requests; 200 unless a test says otherwise. */
  answer: Answer = (response) => void response.end('ok');
  private open = 0;
  /** The most requests that waited for an answer at once. */
  mostAtOnce = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void receiver.receive(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** Waits until so many requests have come. */
  async received(count: number): Promise<ReceivedRequest[]> {
    while (this.requests.length < count) await once(this.server, 'received');
    return this.requests;
  }

  /** Forgets requests and answers 200 again. */
  reset(): void {
    this.requests.length = 0;
    this.mostAtOnce = 0;
    this.answer = (response) => void response.end('ok');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open++;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.open);
    response.once('close', () => this.open--);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = {
      ...{ method: request.method!, path: request.url!, headers: request.headers },
      body: Buffer.concat(chunks).toString('utf8'),
    };
    this.requests.push(received);
    this.answer(response, received);
    this.server.emit('received');
  }
}

export function answer(status: number, headers: Record<string, string> = {}, body = ''): Answer {
  return (response) => void response.writeHead(status, headers).end(body);
}
