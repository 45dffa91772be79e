import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Clock } from '../../common/clock';
import { Config } from '../../config/config';
import { Dialect } from '../../database/dialect';
import { Metrics } from '../../observability/metrics';
import type { Outcome } from '../channels/channel';

const BUCKET_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Starts from the lanes, in this order, so that finished deliveries cost nothing. */
const readBacklog = (orderedJoin: string) => `SELECT COUNT(*), MIN(next_attempt)
  FROM delivery_lanes ${orderedJoin} deliveries ON deliveries.lane = delivery_lanes.lane
  WHERE is_slow IN (0, 1) AND available >= 0 AND (lease > '' OR (lease IS NULL AND next_attempt >= 0))`;

const BACKLOG = { table: 'deliveries', accountId: null };

interface Backlog {
  pending: number;
  lateSeconds: number;
}

@Injectable()
export class DeliveryMetrics {
  private readonly outcomes?: Counter;
  private readonly seconds?: Histogram;
  private readonly operatorErrors?: Counter;
  private readonly registers: Metrics['registry'][];
  private reading?: Promise<Backlog | undefined>;

  constructor(
    { metricsPort }: Config,
    { registry }: Metrics,
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {
    this.registers = [registry];
    if (metricsPort === undefined) return;
    const { registers } = this;
    this.outcomes = new Counter({
      name: 'frontdesk_deliveries_total',
      help: 'Attempts, by handler type and outcome.',
      labelNames: ['type', 'outcome'],
      registers,
    });
    this.seconds = new Histogram({
      name: 'frontdesk_delivery_attempt_seconds',
      help: 'Duration of an attempt.',
      labelNames: ['type'],
      buckets: BUCKET_SECONDS,
      registers,
    });
    this.operatorErrors = new Counter({
      name: 'frontdesk_operator_errors_total',
      help: 'Attempts that failed because of the configuration, by variable.',
      labelNames: ['variable', 'code'],
      registers,
    });
    this.watchBacklog();
  }

  count(type: string, outcome: Outcome, durationMs: number): void {
    this.outcomes?.inc({ type, outcome });
    this.seconds?.observe({ type }, durationMs / 1_000);
  }

  countOperatorError(cause: { variable: string; code: string }): void {
    this.operatorErrors?.inc(cause);
  }

  private watchBacklog(): void {
    this.gauge('frontdesk_deliveries_pending', 'Pending deliveries of all processes.', ({ pending }) => pending);
    this.gauge('frontdesk_deliveries_late_seconds', 'How late the oldest due delivery is.', ({ lateSeconds }) => lateSeconds);
  }

  /** Every process reads the same database, so the maximum over workers is the figure. */
  private gauge(name: string, help: string, read: (backlog: Backlog) => number): void {
    const collect = async () => {
      this.reading ??= this.readBacklog().finally(() => (this.reading = undefined)); // one reading for both gauges
      const backlog = await this.reading;
      if (backlog) gauge.set(read(backlog));
    };
    const gauge: Gauge = new Gauge({ name, help, aggregator: 'max', registers: this.registers, collect });
  }

  /** Undefined while the database is down. */
  private async readBacklog(): Promise<Backlog | undefined> {
    const rows = await this.dialect.read(readBacklog(this.dialect.orderedJoin), [], BACKLOG).catch(() => undefined);
    if (!rows) return undefined;
    const [[pending, oldest]] = rows;
    return { pending: Number(pending), lateSeconds: oldest === null ? 0 : Math.max(0, this.clock.now() - Number(oldest)) / 1_000 };
  }
}
