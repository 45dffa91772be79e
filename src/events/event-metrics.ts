import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock';
import { Dialect } from '../platform/database/dialect';
import { Metrics } from '../platform/observability/metrics';
import { UNDISPATCHED } from './subscriptions/subscription.entity';

const FIND_LAST_NUMBER = 'SELECT last FROM event_log WHERE id = 1';
/** Reads only the index, and stops counting at 1,000. */
const COUNT_UNNUMBERED = 'SELECT COUNT(*) FROM (SELECT id FROM events WHERE number IS NULL LIMIT 1000) unnumbered';
const FIND_OLDEST_UNDISPATCHED = `SELECT MIN((SELECT datetime FROM events WHERE ${UNDISPATCHED} ORDER BY events.number, events.id LIMIT 1)) FROM event_cursors cursors`;

/** Metrics of the event log and of the dispatch to handlers. The same in every process, since all read one database. */
@Injectable()
export class EventMetrics {
  constructor(
    metrics: Metrics,
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {
    const gauge = (name: string, help: string, read: () => Promise<number | undefined>) =>
      metrics.gauge(name, help, read, { aggregator: 'max' });
    gauge('frontdesk_events_last_number', 'The last number assigned to an event.', () => this.read<number>(FIND_LAST_NUMBER));
    gauge('frontdesk_events_unnumbered', 'Events that are not numbered yet, counted up to 1,000.', () =>
      this.read<number>(COUNT_UNNUMBERED),
    );
    gauge('frontdesk_event_dispatch_lag_seconds', 'Age of the oldest event that handlers have not been notified of.', () => this.readLag());
  }

  private async readLag(): Promise<number | undefined> {
    const oldest = await this.read<string | null>(FIND_OLDEST_UNDISPATCHED);
    if (oldest === undefined) return undefined;
    return oldest === null ? 0 : Math.max(0, this.clock.now() - Date.parse(`${oldest.replace(' ', 'T')}Z`)) / 1_000;
  }

  /** Undefined while the database is down. */
  private async read<T extends string | number | null>(sql: string): Promise<T | undefined> {
    const rows = await this.dialect.read<[T]>(sql, []).catch(() => []);
    return rows.at(0)?.[0];
  }
}
