import cluster, { type Address, type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { announce, onTermination, urlOf } from './process';
import { enforceStartDeadline } from './start-deadline';

const RETRY_MS = 1_000;
/** Longer than a worker waits for another process's migration. */
const START_TIMEOUT_MS = 150_000;
/** Longer than a worker takes to drain. */
const STOP_TIMEOUT_MS = 12_000;

/** Worker processes that share a port. A worker that exits is replaced; SIGHUP restarts them one by one, SIGTERM stops all. */
export class Workers {
  private readonly serving = new Set<Worker>();
  private isStarted = false;
  private isStopping = false;
  private isRestarting = false;
  private isRestartRequested = false;

  constructor(
    private readonly count: number,
    private readonly startTimeoutMs = START_TIMEOUT_MS,
  ) {}

  /** @throws Error when a worker can't start; the worker has printed why */
  async start(): Promise<void> {
    onTermination(() => this.stop());
    process.on('SIGHUP', () => void this.restart());
    cluster.on('exit', (worker, code, signal) => this.replaceIfServing(worker, signal || `code ${code}`));
    try {
      const [address] = await Promise.all(Array.from({ length: this.count }, () => this.add()));
      const msg = `frontdesk answers at ${urlOf(address)}, with ${this.count} workers`;
      announce(`${msg}\n`, { msg });
    } catch (error) {
      if (!this.isStopping) throw error;
      return;
    }
    this.isStarted = true;
    if (this.isRestartRequested) void this.restart();
  }

  /** Starts a worker and waits until it listens. */
  private add(): Promise<Address> {
    const worker = cluster.fork();
    enforceStartDeadline(worker, this.startTimeoutMs);
    return new Promise((resolve, reject) => {
      worker.once('exit', () => reject(new Error('A worker exited before it was listening.')));
      worker.once('listening', (address) => {
        this.serving.add(worker);
        resolve(address);
      });
    });
  }

  private replaceIfServing(worker: Worker, cause: string): void {
    if (!this.serving.delete(worker) || this.isStopping) return;
    process.stderr.write(`frontdesk: worker ${worker.process.pid} exited (${cause}); starting a replacement.\n`);
    void this.replace();
  }

  private async replace(): Promise<void> {
    while (!this.isStopping) {
      try {
        await this.add();
        if (!this.isRestarting) await this.stopSurplusWorker();
        return;
      } catch {
        await sleep(RETRY_MS);
      }
    }
  }

  /** Waits for the start. Starts over when requested again meanwhile: workers replaced so far may be outdated. */
  private async restart(): Promise<void> {
    this.isRestartRequested = true;
    if (!this.isStarted || this.isRestarting) return;
    this.isRestarting = true;
    while (this.isRestartRequested && !this.isStopping) {
      this.isRestartRequested = false;
      await this.replaceAll().catch((error: Error) =>
        process.stderr.write(`frontdesk: ${error.message} The other workers keep running.\n`),
      );
    }
    this.isRestarting = false;
  }

  /** Each new worker listens before an old one stops. */
  private async replaceAll(): Promise<void> {
    for (const old of [...this.serving]) {
      if (this.isStopping) return;
      await this.add();
      if (this.serving.size > this.count) await this.stopWorker(old);
    }
    await this.stopSurplusWorker();
  }

  /** A worker that exits during a restart leaves one too many. */
  private async stopSurplusWorker(): Promise<void> {
    const [oldest] = this.serving;
    if (this.serving.size > this.count) await this.stopWorker(oldest);
  }

  private async stopWorker(worker: Worker): Promise<void> {
    this.serving.delete(worker);
    if (worker.isDead()) return;
    const deadline = setTimeout(() => worker.process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    worker.process.kill('SIGTERM');
    await once(worker, 'exit');
    clearTimeout(deadline);
  }

  private async stop(): Promise<void> {
    this.isStopping = true;
    for (let alive = aliveWorkers(); alive.length > 0; alive = aliveWorkers()) {
      await Promise.all(alive.map((worker) => this.stopWorker(worker)));
    }
    process.exit(0);
  }
}

function aliveWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {})
    .filter((worker) => worker !== undefined)
    .filter((worker) => !worker.isDead());
}
