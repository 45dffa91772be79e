import cluster, { type Worker } from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';

type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

const SNAPSHOT_REQUEST = 'frontdesk:metrics';
/** Longer than the database timeout. For a slower worker, busy or still starting, the last snapshot counts. */
const SNAPSHOT_TIMEOUT_MS = 3_000;

/** In a worker: sends a snapshot whenever the primary requests one. Returns a function that sends the final one, for use before the process exits. */
export function reportToPrimary(registry: Registry): () => Promise<void> {
  const report = async () => {
    const snapshot = await registry.getMetricsAsJSON();
    await new Promise<void>((resolve) => process.send?.({ snapshot }, () => resolve())); // the primary may be gone
  };
  process.on('message', (message) => {
    if (message === SNAPSHOT_REQUEST) report().catch(() => undefined);
  });
  return report;
}

/**
 * In the primary: sums the metrics of all workers. Replaces prom-client's clusterMetrics(), which forgets the counts of workers
 * that have exited: Prometheus would read the drop as a counter reset.
 */
export class WorkerMetrics {
  private readonly latestSnapshots = new Map<number, Snapshot>();
  private readonly replies = new EventEmitter();
  private exitedTotals: Snapshot = [];

  constructor() {
    cluster.on('message', (worker, message: { snapshot?: Snapshot } | null) => {
      if (!message?.snapshot || worker.isDead()) return;
      this.latestSnapshots.set(worker.id, message.snapshot);
      this.replies.emit(String(worker.id));
    });
    cluster.on('exit', ({ id }) => this.keepCounts(id));
  }

  async read(): Promise<string> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map((worker) => this.request(worker)));
    return sum([this.exitedTotals, ...this.latestSnapshots.values()]).metrics();
  }

  private async request(worker: Worker): Promise<void> {
    const reply = once(this.replies, String(worker.id), { signal: AbortSignal.timeout(SNAPSHOT_TIMEOUT_MS) });
    worker.send(SNAPSHOT_REQUEST, () => undefined); // the worker may be exiting
    await reply.catch(() => undefined);
  }

  private keepCounts(id: number): void {
    const counts = this.latestSnapshots.get(id)?.filter(({ type }) => String(type) !== 'gauge') ?? [];
    this.latestSnapshots.delete(id);
    this.exitedTotals = sum([this.exitedTotals, counts]).getMetricsAsArray() as Snapshot;
  }
}

function sum(snapshots: Snapshot[]): Registry {
  return AggregatorRegistry.aggregate<PrometheusContentType>(snapshots);
}
