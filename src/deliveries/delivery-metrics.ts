import { Injectable } from '@nestjs/common';
import { type Counter, Histogram } from 'prom-client';
import { Clock } from '../platform/common/clock';
import { SECOND_MS } from '../platform/common/time';
import { Config } from '../platform/config/config';
import { Dialect } from '../platform/database/dialect';
import { Metrics } from '../platform/observability/metrics';
import type { Outcome } from './channels/channel';

const BUCKET_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** `orderedJoin` makes the planner start with the lanes; starting with `deliveries`, it would read finished ones, too. */
const readBacklog = (orderedJoin: string) => `SELECT COUNT(*), MIN(next_attempt),
  COALESCE(SUM(lease IS NULL AND next_attempt < ?), 0), COALESCE(SUM(lease IS NULL AND attempts = 0 AND send_at > ?), 0),
  COUNT(DISTINCT CASE WHEN until = 'acknowledged' THEN message_id END)
  FROM delivery_lanes ${orderedJoin} deliveries ON deliveries.lane = delivery_lanes.lane
  WHERE is_slow IN (0, 1) AND available >= 0 AND (lease > '' OR (lease IS NULL AND next_attempt >= 0))`;

const OUTCOME_LABELS: ('type' | 'outcome')[] = ['type', 'outcome'];
const STATUS_LABELS: ('type' | 'status')[] = ['type', 'status'];
const BACKLOG_LIST = { table: 'deliveries', accountId: null };

type Backlog = [pending: number, oldest: number | null, late: number, scheduled: number, waiting: number];

@Injectable()
export class DeliveryMetrics {
  private readonly outcomes?: Counter<'type' | 'outcome'>;
  /** Deliveries that have failed for good; one that is retried and fails again counts twice. */
  readonly failures?: Counter<'type' | 'outcome'>;
  readonly operatorErrors?: Counter<'variable' | 'code'>;
  readonly receipts?: Counter<'type' | 'status'>;
  readonly acknowledgements?: Counter<'way'>;
  private readonly attemptSeconds?: Histogram;
  private backlogRead?: Promise<Backlog | undefined>;

  constructor(
    { metricsPort }: Config,
    metrics: Metrics,
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {
    this.outcomes = metrics.counter('frontdesk_deliveries_total', 'Delivery attempts, by handler type and outcome.', OUTCOME_LABELS);
    this.failures = metrics.counter(
      'frontdesk_deliveries_failed_total',
      'Deliveries that failed for good, by handler type and last outcome.',
      OUTCOME_LABELS,
    );
    this.operatorErrors = metrics.counter(
      'frontdesk_operator_errors_total',
      'Attempts that failed because of the configuration, by variable.',
      ['variable', 'code'],
    );
    this.receipts = metrics.counter('frontdesk_receipts_total', "Twilio's status callbacks, by handler type and status.", STATUS_LABELS);
    this.acknowledgements = metrics.counter(
      'frontdesk_acknowledgements_total',
      'Acknowledged messages, by way of acknowledgement: key, link or call.',
      ['way'],
    );
    if (metricsPort === undefined) return;
    this.attemptSeconds = new Histogram({
      name: 'frontdesk_delivery_attempt_seconds',
      help: 'Duration of a delivery attempt, in seconds.',
      labelNames: ['type'],
      buckets: BUCKET_SECONDS,
      registers: [metrics.registry],
    });
    const lateSeconds = (oldest: number | null) => Math.max(0, this.clock.now() - (oldest ?? Infinity)) / 1_000;
    const gauge = (name: string, help: string, read: (backlog: Backlog) => number) => {
      const readOne = () => this.readBacklog().then((backlog) => backlog && read(backlog));
      metrics.gauge(name, help, readOne, { aggregator: 'max' }); // no sum: every process reads the same database
    };
    gauge('frontdesk_deliveries_pending', 'Pending deliveries, across all processes.', ([pending]) => pending);
    gauge('frontdesk_deliveries_late_seconds', 'How late the oldest due delivery is, in seconds.', ([, oldest]) => lateSeconds(oldest));
    gauge('frontdesk_deliveries_late', 'Pending deliveries more than a second late, with no attempt in progress.', ([, , late]) => late);
    gauge('frontdesk_deliveries_scheduled', 'Pending deliveries scheduled by send_at or a later step.', ([, , , scheduled]) => scheduled);
    gauge(
      'frontdesk_messages_waiting',
      'Messages with pending deliveries that wait for an acknowledgement.',
      ([, , , , waiting]) => waiting,
    );
  }

  countAttempt(type: string, outcome: Outcome, durationMs: number): void {
    this.outcomes?.inc({ type, outcome });
    this.attemptSeconds?.observe({ type }, durationMs / 1_000);
  }

  /** Gauges read at the same time share one query. Undefined while the database is down. */
  private readBacklog(): Promise<Backlog | undefined> {
    const now = this.clock.now();
    this.backlogRead ??= this.dialect
      .read<Backlog>(readBacklog(this.dialect.sql.orderedJoin), [now - SECOND_MS, now], BACKLOG_LIST)
      .then(([backlog]) => backlog)
      .catch(() => undefined)
      .finally(() => (this.backlogRead = undefined));
    return this.backlogRead;
  }
}
