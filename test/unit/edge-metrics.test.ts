import { AggregatorRegistry, Registry } from 'prom-client';
import type { Config } from '../../src/config/config';
import { EdgeMetrics } from '../../src/edge/edge-metrics';
import type { Metrics } from '../../src/observability/metrics';
import { OUTCOMES, type Counts } from '../../src/edge/messages';

let now: number;
let registry: Registry;
let metrics: EdgeMetrics;

const NONE = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Counts;
const config = { edge: { port: 1 }, metricsPort: 2 } as Config;
const create = (into: Registry) => new EdgeMetrics(config, { registry: into } as Metrics, { now: () => 0, monotonic: () => now });

beforeEach(() => {
  now = 5_000;
  registry = new Registry();
  metrics = create(registry);
});

test('the age of the hosts counts from the start, until they are first synchronized', async () => {
  now += 90_000;
  expect(await registry.metrics()).toContain('frontdesk_edge_sync_age_seconds 90\n');
  metrics.noteSync();
  now += 1_000;
  expect(await registry.metrics()).toContain('frontdesk_edge_sync_age_seconds 1\n');
});

test('of several workers, the one that lags shows: the fewest hosts, and the highest age', async () => {
  const other = new Registry();
  create(other).noteReport(NONE, 3);
  metrics.noteReport(NONE, 1_000);
  now += 2_000;
  metrics.noteSync();
  const sum = AggregatorRegistry.aggregate(await Promise.all([registry.getMetricsAsJSON(), other.getMetricsAsJSON()]));
  const text = await sum.metrics();
  expect(text).toContain('frontdesk_edge_hosts 3\n');
  expect(text).toContain('frontdesk_edge_sync_age_seconds 2\n');
});
