import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config';
import { passOnAll, type RenderError } from '../http/errors/client-errors';
import { ERRORS } from '../http/errors/request-error';
import { requestIdOf } from '../http/responses/request-id';
import { drainServer } from '../http/server/drain';
import { STALLED_MS, TIMEOUTS } from '../http/server/timeouts';
import { batchedOutput } from '../observability/logging';
import { type CompletedRequest, RequestLog, statusOf } from '../observability/request-log';
import { type Answer, answerTo, refusal } from './answers';
import { EdgeMetrics } from './edge-metrics';
import { isAnswer, parseRequest, readHeaders } from './edge-request';
import { LiveHosts } from './live-hosts';

/** Redirects hosts, and tells a TLS proxy which may have a certificate. */
@Injectable()
export class EdgeServer {
  private readonly server: Server;
  private readonly log: RequestLog;
  private isDraining = false;

  constructor(
    private readonly hosts: LiveHosts,
    private readonly metrics: EdgeMetrics,
    private readonly config: Config,
  ) {
    this.log = new RequestLog(config.logLevel, batchedOutput());
    this.server = createServer(TIMEOUTS, (request, response) => this.handle(request, response)).setTimeout(STALLED_MS);
    Object.assign(this.server, { requireHostHeader: false }); // refused here, with a page
    passOnAll(this.server, renderRefusal, [(refused) => this.noteParseError(refused)]);
  }

  /** @throws the system error when it can't listen */
  async listen(): Promise<void> {
    const { port, host } = this.config.edge;
    await once(this.server.listen(port, host), 'listening');
  }

  drain(): Promise<void> {
    this.isDraining = true;
    return drainServer(this.server);
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const start = performance.now();
    const headers = readHeaders(request.rawHeaders);
    const id = requestIdOf(headers.requestId);
    const parsed = parseRequest(request, headers);
    const answer = isAnswer(parsed) ? parsed : answerTo(parsed, this.hosts.find(parsed.host, parsed.isAsk));
    response.once('close', () => this.note(answer, { id, method: request.method, status: statusOf(response), start }));
    const isLast = this.isDraining || answer.closes || headers.hasBody; // Node would read a body to its end
    response.writeHead(answer.status, [...answer.headers, 'X-Request-Id', id, ...(isLast ? CLOSE : [])]).end(answer.body);
  }

  private note({ outcome, isForProxy }: Answer, request: CompletedRequest): void {
    this.metrics.count(outcome);
    this.log.note({ ...request, edge: outcome }, isForProxy ? 'debug' : 'info');
  }

  private noteParseError({ request_id, status }: { request_id: string; status: number }): void {
    this.metrics.count('refused');
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
