/** @mysql whole */
import { readdirSync, readFileSync } from 'node:fs';
import { Test } from '@nestjs/testing';
import { Config } from '../../../src/platform/config/config';
import { EdgeMetrics } from '../../../src/edge/edge-server';
import { LiveHosts } from '../../../src/edge/live-hosts';
import { Metrics } from '../../../src/platform/observability/metrics';
import { withApplication } from '../../support/http/application';
import { createDatabase, onMysql } from '../../support/servers/database';

const PARTS = /_(?:bucket|sum|count)$/;
const OF_METRICS = /\b(?:frontdesk|http|database|nodejs|process)_[a-z0-9_]+[a-z0-9]\b(?!_|\*)/g;
/** What looks like a metric, but isn't. */
const NOT_METRICS = new Set(['http_requests']);

function metricsIn(text: string): Set<string> {
  return new Set([...text.matchAll(OF_METRICS)].map(([name]) => name.replace(PARTS, '')).filter((name) => !NOT_METRICS.has(name)));
}

const textsOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(yaml|json)$/.test(entry.name) && entry.name !== 'kubernetes.yaml')
    .map(({ parentPath, name }) => readFileSync(`${parentPath}/${name}`, 'utf8'))
    .join('\n');

test('alerts, the dashboard and docs/operate/metrics.md name only existing metrics', async () => {
  const database = await createDatabase();
  const config = new Config({ ...database.env, METRICS_PORT: '9100' });
  const edge = await Test.createTestingModule({
    providers: [EdgeMetrics, { provide: Config, useValue: config }, { provide: LiveHosts, useValue: { size: 0, age: 0 } }],
  }).compile();
  await withApplication({ ...database.env, METRICS_PORT: '9100' }, async (application) => {
    const metrics = application.app.get(Metrics);
    metrics.setBuildInfo('1.0.0', 'SQLite');
    const text = `${await metrics.registry.metrics()}${await edge.get(EdgeMetrics).registry.metrics()}`;
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const manual = readFileSync('docs/operate/metrics.md', 'utf8');
    for (const named of [metricsIn(textsOf('ops')), metricsIn(manual)]) {
      const unknown = [...named].filter((name) => !known.has(name) && (onMysql || !name.startsWith('database_pool_')));
      expect(unknown).toEqual([]);
      expect(named.size).toBeGreaterThan(20);
    }
  });
  await database.drop();
});

test('kubernetes.yaml disables enableServiceLinks in every pod', () => {
  const pods = readFileSync('ops/kubernetes.yaml', 'utf8')
    .split('\n---\n')
    .filter((object) => object.includes('\n      containers:\n'));
  expect(pods.map((pod) => /^ {6}enableServiceLinks: (\w+)/m.exec(pod)?.[1])).toEqual(['false', 'false']);
});
