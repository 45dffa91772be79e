import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { Config } from '../config/config';
import { type Outcome, OUTCOMES } from './answers';
import { LiveHosts } from './live-hosts';

/** Metrics of an edge process. */
@Injectable()
export class EdgeMetrics {
  readonly registry = new Registry();
  private readonly counters?: Map<Outcome, { inc: () => void }>;

  constructor({ metricsPort }: Config, hosts: LiveHosts) {
    if (metricsPort === undefined) return;
    const registers = [this.registry];
    const requests = new Counter({
      name: 'frontdesk_edge_requests_total',
      help: "The edge's requests, by outcome.",
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of OUTCOMES) requests.inc({ outcome }, 0);
    this.counters = new Map(OUTCOMES.map((outcome) => [outcome, requests.labels(outcome)]));
    // Every process has all hosts; the most outdated one has the fewest hosts or the highest age.
    const gauge = (name: string, help: string, aggregator: 'min' | 'max', read: () => number) => {
      const figure: Gauge = new Gauge({ name, help, aggregator, registers, collect: () => figure.set(read()) });
    };
    gauge('frontdesk_edge_hosts', 'Live hosts in memory.', 'min', () => hosts.size);
    const age = 'Time since hosts were last synchronized with the database, or since the start.';
    gauge('frontdesk_edge_sync_age_seconds', age, 'max', () => hosts.age / 1_000);
  }

  count(outcome: Outcome): void {
    this.counters?.get(outcome)?.inc();
  }
}
