import { EventEmitter } from 'node:events';
import type { Config } from '../../src/config/config';
import type { LiveDomains } from '../../src/domains/live-domains';
import { Edge } from '../../src/edge/edge';
import type { EdgeMetrics } from '../../src/edge/edge-metrics';
import type { HostFeed } from '../../src/edge/host-feed';

const thread = Object.assign(new EventEmitter(), { postMessage: jest.fn() });
jest.mock('node:worker_threads', () => ({ ...jest.requireActual<object>('node:worker_threads'), Worker: jest.fn(() => thread) }));

test('an error of the thread while it drains leaves the shutdown to go on', async () => {
  const feed = { start: () => undefined, stop: () => Promise.resolve() } as unknown as HostFeed;
  const config = { edge: { port: 1, host: '' }, logLevel: 'info' } as Config;
  const edge = new Edge(feed, {} as LiveDomains, {} as EdgeMetrics, config);
  const started = edge.start(1);
  thread.emit('message', { type: 'ready' });
  await started;
  const stopped = edge.stop();
  thread.emit('error', new Error('out of memory'));
  thread.emit('exit', 1);
  await expect(stopped).resolves.toBeUndefined();
});
