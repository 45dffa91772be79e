import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { Clock } from '../../../common/clock';
import { Config } from '../../../config/config';
import { Dialect } from '../../../database/dialect';
import { Metrics } from '../../../observability/metrics';
import type { TxtFinding } from '../verification-state';

@Injectable()
export class CheckMetrics {
  private readonly checks?: Counter;

  constructor(
    { metricsPort }: Config,
    { registry }: Metrics,
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {
    if (metricsPort === undefined) return;
    const registers = [registry];
    this.checks = new Counter({
      name: 'frontdesk_domain_looks_total',
      help: 'Look-ups of domains in DNS, by what became of the TXT record.',
      labelNames: ['result'],
      registers,
    });
    const collect = async () => {
      const seconds = await this.readLateSeconds().catch(() => undefined); // the database is down
      if (seconds !== undefined) late.set(seconds);
    };
    const late: Gauge = new Gauge({
      name: 'frontdesk_domain_looks_late_seconds',
      help: 'How late the oldest due look-up of a domain is.',
      aggregator: 'max', // every process reads the same database
      registers,
      collect,
    });
  }

  count(result: TxtFinding): void {
    this.checks?.inc({ result });
  }

  private async readLateSeconds(): Promise<number> {
    const [[due]] = await this.dialect.read('SELECT MIN(due) FROM domain_verifications', []);
    return due === null ? 0 : Math.max(0, this.clock.now() - Number(due)) / 1_000;
  }
}
