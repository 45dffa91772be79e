import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { Clock } from '../platform/common/clock';
import { parseTraceparent } from '../platform/common/trace-context';
import { Config } from '../platform/config/config';
import { ERRORS } from '../platform/common/errors';
import { drainServer, handleProtocolErrors, type RenderError, STALLED_TIMEOUT_MS, TIMEOUTS } from '../platform/http/server/connections';
import { onClose } from '../platform/http/server/response-close';
import { requestIdOf, RequestLog, statusOf } from '../platform/observability/logging';
import { countDroppedLines } from '../platform/observability/metrics';
import { standardOutput } from '../platform/observability/standard-output';
import { answerTo, type EdgeOutcome, EDGE_OUTCOMES, errorAnswer } from './answers';
import { isAnswer, parseRequest, readHeaders } from './edge-request';
import { LiveHosts } from './live-hosts';

/** Metrics of an edge process. */
@Injectable()
export class EdgeMetrics {
  readonly registry = new Registry();
  private readonly counters?: Map<EdgeOutcome, { inc: () => void }>;

  constructor({ metricsPort }: Config, hosts: LiveHosts) {
    if (metricsPort === undefined) return;
    const registers = [this.registry];
    const requests = new Counter({
      name: 'frontdesk_edge_requests_total',
      help: "The edge's requests, by outcome.",
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of EDGE_OUTCOMES) requests.inc({ outcome }, 0);
    countDroppedLines('frontdesk_edge_log_lines_dropped_total', 'Log lines of the edge that standard output did not take.', registers);
    this.counters = new Map(EDGE_OUTCOMES.map((outcome) => [outcome, requests.labels(outcome)]));
    // Aggregated to show the most outdated process: every process should have all hosts.
    const gauge = (name: string, help: string, aggregator: 'min' | 'max', read: () => number) => {
      const figure: Gauge = new Gauge({ name, help, aggregator, registers, collect: () => figure.set(read()) });
    };
    gauge('frontdesk_edge_hosts', 'Live hosts in memory.', 'min', () => hosts.size);
    const age = 'Time since hosts were last synchronized with the database, or since the start.';
    gauge('frontdesk_edge_sync_age_seconds', age, 'max', () => hosts.age / 1_000);
  }

  count(outcome: EdgeOutcome): void {
    this.counters?.get(outcome)?.inc();
  }
}

/** Redirects visitors of custom hosts, and decides for a TLS proxy which hosts may have a certificate. */
@Injectable()
export class EdgeServer {
  private readonly log: RequestLog;
  private readonly server: Server;
  private isDraining = false;

  constructor(
    private readonly hosts: LiveHosts,
    private readonly metrics: EdgeMetrics,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    this.log = new RequestLog(config.logLevel, standardOutput, clock);
    this.server = createServer({ ...TIMEOUTS, keepAliveTimeout: config.keepAliveMs }, (request, response) =>
      this.handle(request, response),
    ).setTimeout(STALLED_TIMEOUT_MS);
    Object.assign(this.server, { requireHostHeader: false }); // parseRequest() refuses a missing Host, with a page
    handleProtocolErrors(this.server, [(refused) => this.noteParseError(refused)], renderRefusal);
  }

  /** @throws the system error when it can't listen */
  async listen(): Promise<void> {
    const { port, host } = this.config.edge;
    await once(this.server.listen(port, host), 'listening');
  }

  /** Takes over a connection that was made while no process listened. */
  accept(socket: Socket): void {
    // Only a listening server enforces deadlines and tracks connections for shutdown.
    if (this.server.listening) this.server.emit('connection', socket);
    else this.server.once('listening', () => this.server.emit('connection', socket));
  }

  drain(): Promise<void> {
    return drainServer(this.server, () => (this.isDraining = true));
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const start = this.clock.monotonic();
    const headers = readHeaders(request.rawHeaders);
    const id = requestIdOf(headers.requestId);
    const parsed = parseRequest(request, headers);
    const answer = isAnswer(parsed) ? parsed : answerTo(parsed, this.hosts.find(parsed.host));
    const traceparent = parseTraceparent(headers.traceparent);
    onClose(response, () => {
      const { outcome, isForProxy } = answer;
      this.metrics.count(outcome);
      // One literal: a spread with one more property took 3 µs of a redirect's 23 (bench/HISTORY.md).
      const completed = { id, method: request.method, status: statusOf(response), start, edge: outcome, traceparent };
      this.log.write(completed, isForProxy ? 'debug' : 'info');
    });
    const isLast = this.isDraining || answer.closesConnection || headers.hasBody; // otherwise Node would read the body to its end
    response.writeHead(answer.status, [...answer.headers, 'X-Request-Id', id, ...(isLast ? CLOSE_HEADER : [])]).end(answer.body);
  }

  private noteParseError(refused: { id: string; status: number }): void {
    this.metrics.count('refused');
    this.log.write({ ...refused, edge: 'refused' });
  }
}

const CLOSE_HEADER = ['Connection', 'close'];

const renderRefusal: RenderError = ({ code, detail }) => {
  const { status, title } = ERRORS[code];
  const { headers, body } = errorAnswer(status, title, detail);
  const head = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []));
  return { head: head.filter((line) => !line.startsWith('Content-Length')), body };
};
