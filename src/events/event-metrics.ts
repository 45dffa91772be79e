import { Injectable } from '@nestjs/common';
import { Dialect } from '../database/dialect';
import { Metrics } from '../observability/metrics';

const LAST = 'SELECT last FROM event_log WHERE id = 1';
/** Read from the index; counts on from 1,000 no more. */
const UNNUMBERED = 'SELECT COUNT(*) FROM (SELECT id FROM audit WHERE number IS NULL LIMIT 1000) unnumbered';

/** How far the log is. Every process reads the same database. */
@Injectable()
export class EventMetrics {
  constructor(
    metrics: Metrics,
    private readonly dialect: Dialect,
  ) {
    const gauge = (name: string, help: string, sql: string) => metrics.gauge(name, help, () => this.read(sql), { aggregator: 'max' });
    gauge('frontdesk_events_last_number', 'The last number given to events.', LAST);
    gauge('frontdesk_events_unnumbered', 'Events that are not numbered yet, counted up to 1,000.', UNNUMBERED);
  }

  /** Undefined while the database is down. */
  private async read(sql: string): Promise<number | undefined> {
    const rows = await this.dialect.read<[number]>(sql, []).catch(() => []);
    return rows.at(0)?.[0];
  }
}
