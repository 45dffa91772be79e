import cluster, { type Worker } from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';
import { serveMetrics } from './metrics-server';

type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

const ASK = 'frontdesk:metrics';
/** For a worker that answers later, being about to start or at work on something long, stands what it said last. */
const PATIENCE_MILLISECONDS = 1_000;

/** In a worker: tells the primary its figures when it is asked; the function that is returned does so at its end. */
export function tellPrimary(registry: Registry): () => Promise<void> {
  const tell = async () => {
    const figures = await registry.getMetricsAsJSON();
    await new Promise<void>((resolve) => process.send?.({ figures }, () => resolve())); // one that can't be told has those of before
  };
  process.on('message', (message) => {
    if (message === ASK) tell().catch(() => undefined);
  });
  return tell;
}

/** In the primary: serves what all workers have counted, added up. @throws Error of the system when it can't listen there */
export async function serveWorkerMetrics(port: number, host: string): Promise<void> {
  const metrics = new WorkerMetrics();
  await serveMetrics(port, host, () => metrics.read());
}

/** The figures of the workers. What one that has ended counted stays in the sums: Prometheus takes a sum that falls for a restart. */
class WorkerMetrics {
  private readonly latest = new Map<number, Figures>();
  private readonly answers = new EventEmitter();
  private ended: Figures = [];

  constructor() {
    cluster.on('message', (worker, message: { figures?: Figures } | null) => {
      if (!message?.figures || worker.isDead()) return;
      this.latest.set(worker.id, message.figures);
      this.answers.emit(String(worker.id));
    });
    cluster.on('exit', ({ id }) => this.keepCountsOf(id));
  }

  async read(): Promise<string> {
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => this.ask(worker!)));
    return sumOf([this.ended, ...this.latest.values()]).metrics();
  }

  private async ask(worker: Worker): Promise<void> {
    const answer = once(this.answers, String(worker.id), { signal: AbortSignal.timeout(PATIENCE_MILLISECONDS) });
    worker.send(ASK, () => undefined); // one that can't be told is ending
    await answer.catch(() => undefined);
  }

  private keepCountsOf(id: number): void {
    const counts = this.latest.get(id)?.filter(({ type }) => String(type) !== 'gauge') ?? [];
    this.latest.delete(id);
    this.ended = sumOf([this.ended, counts]).getMetricsAsArray() as Figures;
  }
}

function sumOf(figures: Figures[]): Registry {
  return AggregatorRegistry.aggregate<PrometheusContentType>(figures);
}
