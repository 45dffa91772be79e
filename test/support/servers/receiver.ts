import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Clock } from '../../../src/platform/common/clock';
import { Recorder } from '../../../src/programs/sandbox/recorder';
import { LIMIT_MS } from '../jest/clock';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Answer = (response: ServerResponse, request: ReceivedRequest) => void;

/** The sandbox's recorder, with responses that depend on the request or that the test delays, which its rules can't. */
class Receiver extends Recorder {
  readonly requests: ReceivedRequest[] = [];
  /** Answers the next requests. */
  answer: Answer;
  /** The most requests that waited for an answer at once. */
  mostAtOnce = 0;
  private host = 'receiver.example';
  private readonly waiting = new Set<ServerResponse>();
  private readonly arrivals = new EventEmitter();

  url(path = '/'): string {
    return `http://${this.host}${path}`;
  }

  /** Waits until this many requests have arrived. @throws Error that says how many have, before the test itself times out */
  async received(count: number): Promise<ReceivedRequest[]> {
    const signal = AbortSignal.timeout(LIMIT_MS);
    while (this.requests.length < count)
      await once(this.arrivals, 'request', { signal }).catch(() => {
        throw new Error(`${this.requests.length} of ${count} requests arrived.`);
      });
    return this.requests;
  }

  /** Changes its address; late requests to the former one are refused. */
  move(): void {
    this.host = `${randomUUID()}.example`;
    this.reset();
  }

  /** Forgets requests and rules, and answers 200 again; other hosts refuse. */
  override reset(): void {
    this.answers.reset();
    this.answers.add({ answers: [], then: { fault: 'refuse' } });
    this.answers.add({ host: this.host, answers: [] });
    this.nameServers.reset();
    this.requests.length = 0;
    this.mostAtOnce = 0;
    this.answer = answer(200, {}, 'ok');
  }

  /** Cuts all pending and further requests. */
  hangUp(): void {
    this.answer = cut;
    for (const response of this.waiting) cut(response);
  }

  /** Mail goes to the MailServer of a test, whose replies to single commands it sets. */
  override connectMail(port: number, host: string): Socket {
    return connect(port, host);
  }

  protected override async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.shouldKeepAlive = false;
    this.waiting.add(response);
    response.once('close', () => this.waiting.delete(response));
    this.mostAtOnce = Math.max(this.mostAtOnce, this.waiting.size);
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, body: await text(request) };
    if (headers.host !== this.host) return cut(response); // connected before the move
    this.requests.push(received);
    this.answer(response, received);
    this.arrivals.emit('request');
  }
}

/** Of all applications of a test file, but those with DNS_SERVERS or OUTBOUND_ALLOW. Each test begins with none of another's requests and answers. */
export const receiver = new Receiver(new Clock());
receiver.reset();
beforeEach(() => receiver.reset());
/** Before the application stops: it waits ten seconds for an attempt that nobody answers. */
afterAll(() => receiver.hangUp());

export function answer(status: number, headers: Record<string, string> = {}, body = ''): Answer {
  return (response) => void response.writeHead(status, headers).end(body);
}

/** Breaks off the connection. */
export function cut(response: ServerResponse): void {
  response.destroy(Object.assign(new Error('cut'), { code: 'ECONNRESET' }));
}
