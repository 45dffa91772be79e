import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../../src/platform/config/config';
import { EdgeMetrics } from '../../src/edge/edge-server';
import { LiveHosts } from '../../src/edge/live-hosts';

let now: number;
let hosts: LiveHosts;
let metrics: EdgeMetrics;

const config = { edge: { port: 1 }, metricsPort: 2 } as Config;

function create() {
  const hosts = new LiveHosts({ now: () => 0, monotonic: () => now });
  return { hosts, metrics: new EdgeMetrics(config, hosts) };
}

beforeEach(() => {
  now = 5_000;
  ({ hosts, metrics } = create());
});

test('requests are counted by outcome, starting at zero', async () => {
  metrics.count('index');
  const text = await metrics.registry.metrics();
  expect(text).toContain('frontdesk_edge_requests_total{outcome="index"} 1\n');
  expect(text).toContain('frontdesk_edge_requests_total{outcome="refused"} 0\n');
});

test('the sync age counts from the start until the first synchronization', async () => {
  now += 90_000;
  expect(await metrics.registry.metrics()).toContain('frontdesk_edge_sync_age_seconds 90\n');
  hosts.noteSync();
  now += 1_000;
  expect(await metrics.registry.metrics()).toContain('frontdesk_edge_sync_age_seconds 1\n');
});

test('several processes report the fewest hosts and the highest sync age', async () => {
  const other = create();
  const domains = ['a', 'b', 'c'].map((host) => ({ host, indexUrl: '', notFoundUrl: '' }));
  other.hosts.add(domains, true);
  hosts.add([...domains, { ...domains[0], host: 'd' }], true);
  now += 2_000;
  hosts.noteSync();
  const both = [metrics, other.metrics].map(({ registry }) => registry.getMetricsAsJSON());
  const text = await AggregatorRegistry.aggregate(await Promise.all(both)).metrics();
  expect(text).toContain('frontdesk_edge_hosts 3\n');
  expect(text).toContain('frontdesk_edge_sync_age_seconds 2\n');
});
