import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Config } from '../config/config';
import { Dialect } from '../database/dialect';

/** Why a request was turned away that might have been answered at another time. */
export type RejectionReason = 'rate_limit' | 'overload';

/** The requests at this moment: those at work, and those that wait until others are done. */
export interface Load {
  readonly inFlight: number;
  readonly waiting: number;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OTHER_METHOD = 'other';
const NO_ROUTE = 'none';
const CLIENT_GONE = 499; // as nginx counts a client that went away
const BUCKET_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What is measured of this process. Labels are of a few known values each: never a path, a key, an id or an account. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private readonly registers = [this.registry];
  private readonly requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by the template of their route.',
    labelNames: ['method', 'route', 'status'],
    registers: this.registers,
  });
  private readonly durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the headers of a request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: BUCKET_SECONDS,
    registers: this.registers,
  });
  private readonly rejections = new Counter({
    name: 'http_requests_rejected_total',
    help: 'Requests turned away, by reason.',
    labelNames: ['reason'],
    registers: this.registers,
  });

  constructor({ metricsPort }: Config, dialect: Dialect) {
    if (metricsPort === undefined) return;
    collectDefaultMetrics({ register: this.registry });
    if (dialect.poolUsage) this.watchPool(dialect.poolUsage);
  }

  /** Measures a request until its answer is out or its client is gone. */
  readonly measure = (request: Request, response: Response): void => {
    const start = performance.now();
    response.once('close', () => {
      const labels = { method: METHODS.has(request.method) ? request.method : OTHER_METHOD, route: templateOf(request) };
      this.requests.inc({ ...labels, status: response.writableFinished ? response.statusCode : CLIENT_GONE });
      this.durations.observe(labels, (performance.now() - start) / 1_000);
    });
  };

  /** Counts what was answered without being a request that can be read. */
  readonly countUnreadable = ({ status }: { status: number }): void => {
    this.requests.inc({ method: OTHER_METHOD, route: NO_ROUTE, status });
  };

  countRejected(reason: RejectionReason): void {
    this.rejections.inc({ reason });
  }

  /** Has the load read at each look at the figures; of what lets requests in there is one. */
  watchLoad(load: Load): void {
    this.gauge('http_requests_in_flight', 'Requests at work.', () => load.inFlight);
    this.gauge('http_requests_queued', 'Requests that wait until others are done.', () => load.waiting);
  }

  private watchPool(read: NonNullable<Dialect['poolUsage']>): void {
    this.gauge('database_pool_open_connections', 'Connections to the database.', () => read().open);
    this.gauge('database_pool_idle_connections', 'Connections that nobody uses.', () => read().idle);
    this.gauge('database_pool_waiting_queries', 'Queries that wait for a connection.', () => read().waiting);
  }

  private gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: this.registers, collect: () => gauge.set(read()) });
  }
}

/** Of a request that no route has taken, what it asked for is anybody's text: all of them share a name. */
function templateOf({ route }: Request): string {
  return (route as { path?: string } | undefined)?.path ?? NO_ROUTE;
}
