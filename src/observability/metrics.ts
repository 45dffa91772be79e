import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Config } from '../config/config';
import { Dialect } from '../database/dialect';
import { statusOf } from './request-log';

/** Requests in flight, and requests waiting for admission. */
export interface Load {
  readonly inFlight: number;
  readonly waiting: number;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OTHER_METHOD = 'other';
const NO_ROUTE = 'none';
const BUCKET_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of this process. Labels have few, known values: never a path, key, id or account. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private readonly registers = [this.registry];
  private readonly requests = new Counter({
    name: 'http_requests_total',
    help: 'Completed requests, by route template.',
    labelNames: ['method', 'route', 'status'],
    registers: this.registers,
  });
  private readonly durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from request headers to end of response.',
    labelNames: ['method', 'route'],
    buckets: BUCKET_SECONDS,
    registers: this.registers,
  });
  private readonly rejections = new Counter({
    name: 'http_requests_rejected_total',
    help: 'Rejected requests, by reason.',
    labelNames: ['reason'],
    registers: this.registers,
  });

  constructor(
    private readonly config: Config,
    { poolUsage }: Dialect,
  ) {
    if (config.metricsPort === undefined) return;
    collectDefaultMetrics({ register: this.registry });
    if (!poolUsage) return;
    this.gauge('database_pool_open_connections', 'Open connections.', () => poolUsage().open);
    this.gauge('database_pool_idle_connections', 'Idle connections.', () => poolUsage().idle);
    this.gauge('database_pool_waiting_queries', 'Queries waiting for a connection.', () => poolUsage().waiting);
  }

  watchLoad(load: Load): void {
    if (this.config.metricsPort === undefined) return;
    this.gauge('http_requests_in_flight', 'Requests in flight.', () => load.inFlight);
    this.gauge('http_requests_queued', 'Requests waiting for admission.', () => load.waiting);
  }

  /** Measures a request until its response is sent or its client disconnects. */
  readonly measure = (request: Request, response: Response): void => {
    const start = performance.now();
    response.once('close', () => {
      const labels = { method: METHODS.has(request.method) ? request.method : OTHER_METHOD, route: routeOf(request) };
      this.requests.inc({ ...labels, status: statusOf(response) });
      this.durations.observe(labels, (performance.now() - start) / 1_000);
    });
  };

  /** Counts the response to a request that Node could not parse. */
  readonly countParseError = ({ status }: { status: number }): void => {
    this.requests.inc({ method: OTHER_METHOD, route: NO_ROUTE, status });
  };

  countRejected(reason: 'rate_limit' | 'overload'): void {
    this.rejections.inc({ reason });
  }

  private gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: this.registers, collect: () => gauge.set(read()) });
  }
}

/** Template of the matched route. Unmatched paths are arbitrary, so they all share one label. */
function routeOf({ route }: Request): string {
  return (route as { path?: string } | undefined)?.path ?? NO_ROUTE;
}
