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
  private synced?: number;

  constructor(
    { edge, metricsPort }: Config,
    { registry }: Metrics,
    private readonly clock: Clock,
  ) {
    if (edge.port === undefined || metricsPort === undefined) return;
    const registers = [registry];
    this.requests = new Counter({
      name: 'frontdesk_edge_requests_total',
      help: "The edge's requests, by outcome.",
      labelNames: ['outcome'],
      registers,
    });
    // Every process has all hosts, and one that lags behind shows in the maximum.
    const gauge = (name: string, help: string, read: () => number | undefined) => {
      const figure: Gauge = new Gauge({ name, help, aggregator: 'max', registers, collect: () => figure.set(read() ?? 0) });
    };
    gauge('frontdesk_edge_hosts', 'Live hosts in memory.', () => this.hosts);
    gauge('frontdesk_edge_sync_age_seconds', 'Time since hosts were last synchronized with the database.', () => this.syncAge());
  }

  noteReport(counts: Counts, hosts: number): void {
    this.hosts = hosts;
    for (const [outcome, count] of Object.entries(counts)) this.requests?.inc({ outcome }, count);
  }

  noteSync(): void {
    this.synced = this.clock.monotonic();
  }

  private syncAge(): number | undefined {
    return this.synced === undefined ? undefined : (this.clock.monotonic() - this.synced) / 1_000;
  }
}
