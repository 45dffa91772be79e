import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { type Aggregator, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Clock } from '../common/clock';
import { Config } from '../config/config';
import { Dialect } from '../database/dialect';
import { type RequestObserver, statusOf } from './logging';
import { standardOutput } from './standard-output';

interface Load {
  readonly inFlight: number;
  readonly waiting: number;
}

/** A gauge's value or, for a gauge with a label, one value per label value. Undefined: no value. */
type Reading = number | Record<string, number> | undefined;

interface GaugeOptions {
  /** How several workers' values combine; by default, their sum. */
  aggregator?: Aggregator;
  label?: string;
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
  private readonly rejections?: Counter<'reason'>;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    dialect: Dialect,
  ) {
    this.rejections = this.counter('http_requests_rejected_total', 'Rejected requests, by reason.', ['reason']);
    if (config.metricsPort === undefined) return;
    collectDefaultMetrics({ register: this.registry });
    countDroppedLines('frontdesk_log_lines_dropped_total', 'Log lines that standard output did not take.', this.registers);
    const isUp = async () => Number(await dialect.isServing().catch(() => false));
    this.gauge('frontdesk_database_up', 'Whether the database answers, and on MySQL accepts writes.', isUp, { aggregator: 'min' });
    this.gauge('database_pool_open_connections', 'Open connections to MySQL.', () => dialect.poolUsage?.().open);
    this.gauge('database_pool_idle_connections', 'Idle connections to MySQL.', () => dialect.poolUsage?.().idle);
    this.gauge('database_pool_waiting_queries', 'Queries waiting for a connection to MySQL.', () => dialect.poolUsage?.().waiting);
  }

  watchLoad(load: Load): void {
    this.gauge('http_requests_in_flight', 'Requests in flight.', () => load.inFlight);
    this.gauge('http_requests_queued', 'Requests waiting for admission.', () => load.waiting);
  }

  readonly measure: RequestObserver = (request, response, start) => {
    const method = METHODS.has(request.method) ? request.method : OTHER_METHOD;
    const route = routeOf(request);
    this.requests.inc({ method, route, status: statusOf(response) });
    this.durations.observe({ method, route }, (this.clock.monotonic() - start) / 1_000);
  };

  /** Counts the response to a request that Node could not parse. */
  readonly countParseError = ({ status }: { status: number }): void => {
    this.requests.inc({ method: OTHER_METHOD, route: NO_ROUTE, status });
  };

  countRejected(reason: 'rate_limit' | 'overload'): void {
    this.rejections?.inc({ reason });
  }

  /** Undefined without METRICS_PORT. */
  counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> | undefined {
    return this.config.metricsPort === undefined ? undefined : new Counter({ name, help, labelNames, registers: this.registers });
  }

  /** The gauge has no value while `read` returns undefined: an old value would hide an outage. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>, { aggregator = 'sum', label }: GaugeOptions = {}): void {
    if (this.config.metricsPort === undefined) return;
    const collect = async () => {
      const reading = await read();
      gauge.reset();
      if (typeof reading === 'number') gauge.set(reading);
      else if (!label)
        gauge.remove(); // reset() leaves a 0
      else for (const [value, number] of Object.entries(reading ?? {})) gauge.set({ [label]: value }, number);
    };
    const labelNames = label ? [label] : [];
    const gauge: Gauge = new Gauge({ name, help, labelNames, aggregator, registers: this.registers, collect });
  }

  /** `database`: name and version, such as `MariaDB 10.11.6`. */
  setBuildInfo(version: string, database: string): void {
    if (this.config.metricsPort === undefined) return;
    const [name, help] = ['frontdesk_build_info', 'Versions of the service and its database.'];
    const labelNames = ['version', 'database'];
    new Gauge({ name, help, labelNames, aggregator: 'max', registers: this.registers }).set({ version, database }, 1);
  }
}

export function countDroppedLines(name: string, help: string, registers: Registry[]): void {
  const counter: Counter = new Counter({
    name,
    help,
    registers,
    collect: () => {
      counter.reset();
      counter.inc(standardOutput.droppedCount);
    },
  });
}

/** Template of the matched route. Unmatched paths are arbitrary, so they all share one label. */
function routeOf({ route }: Request): string {
  return (route as { path?: string } | undefined)?.path ?? NO_ROUTE;
}
