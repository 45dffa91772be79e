import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { passOnAll, type RenderError, requestIdOf } from '../../http/errors/client-errors';
import { ERRORS } from '../../http/errors/request-error';
import { drainServer, STALLED_MS, TIMEOUTS } from '../../http/server/connections';
import { type CompletedRequest, type RequestLog, statusOf } from '../../observability/logging';
import type { EdgeThreadOptions } from '../messages';
import { type Answer, refusal } from './answers';
import type { KnownHosts } from './hosts/known-hosts';
import { answerTo, isAnswer, parseRequest } from './edge-request';
import { readHeaders } from './request-headers';
import type { Tally } from './tally';

/** Redirects hosts, and tells a TLS proxy which may have a certificate. */
export class EdgeServer {
  private readonly server: Server;
  private isDraining = false;

  constructor(
    private readonly hosts: KnownHosts,
    private readonly tally: Tally,
    private readonly log: RequestLog,
  ) {
    this.server = createServer(TIMEOUTS, (request, response) => this.handle(request, response)).setTimeout(STALLED_MS);
    Object.assign(this.server, { requireHostHeader: false }); // refused here, with a page
    passOnAll(this.server, renderRefusal, [(refused) => this.noteParseError(refused)]);
  }

  /** @throws the system error when it can't listen */
  async listen({ fd }: EdgeThreadOptions): Promise<void> {
    await once(this.server.listen({ fd }), 'listening');
  }

  drain(): Promise<void> {
    this.isDraining = true;
    return drainServer(this.server);
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const start = performance.now();
    const headers = readHeaders(request.rawHeaders);
    const id = requestIdOf(headers.requestId);
    const send = (answer: Answer) => {
      response.once('close', () => this.note(answer, { id, method: request.method, status: statusOf(response), start }));
      const isLast = this.isDraining || answer.closes || headers.hasBody; // Node would read a body to its end
      response.writeHead(answer.status, [...answer.headers, 'X-Request-Id', id, ...(isLast ? CLOSE : [])]).end(answer.body);
    };
    const parsed = parseRequest(request, headers);
    if (isAnswer(parsed)) return send(parsed);
    const finding = this.hosts.find(parsed.host, parsed.isAsk);
    if (finding instanceof Promise) void finding.then((found) => send(answerTo(parsed, found)));
    else send(answerTo(parsed, finding));
  }

  private note({ outcome, isForProxy }: Answer, request: CompletedRequest): void {
    this.tally.count(outcome);
    this.log.note({ ...request, edge: outcome }, isForProxy ? 'debug' : 'info');
  }

  private noteParseError({ request_id, status }: { request_id: string; status: number }): void {
    this.tally.count('refused');
    this.log.note({ id: request_id, status, edge: 'refused' });
  }
}

const CLOSE = ['Connection', 'close'];

const renderRefusal: RenderError = ({ code, detail }) => {
  const { status, title } = ERRORS[code];
  const { headers, body } = refusal(status, title, detail);
  const head = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []));
  return { head: head.filter((line) => !line.startsWith('Content-Length')), body };
};
