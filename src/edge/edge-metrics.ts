import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { Clock } from '../common/clock';
import { Config } from '../config/config';
import { Metrics } from '../observability/metrics';
import type { Counts } from './messages';

@Injectable()
export class EdgeMetrics {
  private readonly requests?: Counter;
  private hosts = 0;
  private synced: number;

  constructor(
    { edge, metricsPort }: Config,
    { registry }: Metrics,
    private readonly clock: Clock,
  ) {
    this.synced = clock.monotonic();
    if (edge.port === undefined || metricsPort === undefined) return;
    const registers = [registry];
    this.requests = new Counter({
      name: 'frontdesk_edge_requests_total',
      help: "The edge's requests, by outcome.",
      labelNames: ['outcome'],
      registers,
    });
    // Every worker has all hosts: the one that lags has the fewest and the highest age.
    const gauge = (name: string, help: string, aggregator: 'min' | 'max', read: () => number) => {
      const figure: Gauge = new Gauge({ name, help, aggregator, registers, collect: () => figure.set(read()) });
    };
    gauge('frontdesk_edge_hosts', 'Live hosts in memory.', 'min', () => this.hosts);
    const age = 'Time since hosts were last synchronized with the database, or since the start.';
    gauge('frontdesk_edge_sync_age_seconds', age, 'max', () => (this.clock.monotonic() - this.synced) / 1_000);
  }

  noteReport(counts: Counts, hosts: number): void {
    this.hosts = hosts;
    for (const [outcome, count] of Object.entries(counts)) this.requests?.inc({ outcome }, count);
  }

  noteSync(): void {
    this.synced = this.clock.monotonic();
  }
}
