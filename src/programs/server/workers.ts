import cluster, { type Address, type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { standardError } from '../../platform/observability/standard-output';

const RETRY_MS = 1_000;
/** Longer than a worker waits for another process's migration. */
const START_TIMEOUT_MS = 150_000;
/** Longer than a worker takes to drain. */
const STOP_TIMEOUT_MS = 12_000;

/** Worker processes that share a port, until `stop`. A worker that exits is replaced. */
export class Workers {
  private readonly alive = new Set<Worker>();
  protected readonly serving = new Set<Worker>();
  protected isStarted = false;
  protected isStopping = false;
  private isRestarting = false;
  private isRestartRequested = false;

  constructor(
    readonly count: number,
    /** Command-line arguments of each worker. */
    private readonly args: string[] = [],
    private readonly startTimeoutMs = START_TIMEOUT_MS,
  ) {}

  /** Returns the address once all listen, or undefined if stopped first. @throws Error if one can't listen; it has printed why */
  async start(): Promise<Address | undefined> {
    if (this.isStopping) return undefined;
    try {
      const [address] = await Promise.all(Array.from({ length: this.count }, () => this.add()));
      this.isStarted = true;
      if (this.isRestartRequested) void this.restart();
      return address;
    } catch (error) {
      if (!this.isStopping) throw error;
      return undefined;
    }
  }

  /** Replaces workers one by one, once all have started. A second call starts over: workers replaced so far may be outdated. */
  async restart(): Promise<void> {
    this.isRestartRequested = true;
    if (!this.isStarted || this.isRestarting) return;
    this.isRestarting = true;
    while (this.isRestartRequested && !this.isStopping) {
      this.isRestartRequested = false;
      await this.replaceAll().catch((error: Error) => standardError.write(`frontdesk: ${error.message} The other workers keep running.\n`));
    }
    this.isRestarting = false;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    while (this.alive.size > 0) await Promise.all([...this.alive].map((worker) => this.stopWorker(worker)));
  }

  /** Starts a worker and waits until it listens. */
  private add(): Promise<Address> {
    cluster.setupPrimary({ args: this.args });
    const worker = cluster.fork();
    this.alive.add(worker);
    enforceStartDeadline(worker, this.startTimeoutMs);
    return new Promise((resolve, reject) => {
      worker.once('exit', (code, signal) => {
        this.alive.delete(worker);
        this.replaceIfServing(worker, signal || `code ${code}`);
        reject(new Error(`A worker exited before it was listening (${signal || `code ${code}`}).`));
      });
      worker.once('listening', (address) => {
        this.serving.add(worker);
        resolve(address);
      });
    });
  }

  private replaceIfServing(worker: Worker, cause: string): void {
    if (!this.serving.delete(worker) || this.isStopping) return;
    standardError.write(`frontdesk: worker ${worker.process.pid} exited (${cause}); starting a replacement.\n`);
    void this.replace();
  }

  /** Not a PollLoop, because it ends with the first success. */
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

  /** Each new worker listens before an old one stops. */
  private async replaceAll(): Promise<void> {
    for (const old of [...this.serving]) {
      if (this.isStopping) return;
      await this.add();
      if (this.serving.size > this.count) await this.stopWorker(old);
    }
    await this.stopSurplusWorker();
  }

  /** A worker that exits during a restart gets two replacements: its own, and the restart's. */
  private async stopSurplusWorker(): Promise<void> {
    const [oldest] = this.serving;
    if (this.serving.size > this.count) await this.stopWorker(oldest);
  }

  private async stopWorker(worker: Worker): Promise<void> {
    this.serving.delete(worker);
    if (!this.alive.has(worker)) return;
    const deadline = setTimeout(() => worker.process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    worker.process.kill('SIGTERM');
    await once(worker, 'exit');
    clearTimeout(deadline);
  }
}

const MIGRATING = 'frontdesk:migrating';
const MIGRATED = 'frontdesk:migrated';

/** In the primary: kills a worker that isn't listening in time. The deadline starts over after its migrations. */
export function enforceStartDeadline(worker: Worker, milliseconds: number): void {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const start = () => {
    stop();
    timer = setTimeout(() => {
      const seconds = milliseconds / 1_000;
      standardError.write(`frontdesk: worker ${worker.process.pid} was killed: it was not listening after ${seconds} s.\n`);
      worker.process.kill('SIGKILL');
    }, milliseconds);
  };
  start();
  worker.on('message', (message) => (message === MIGRATING ? stop() : message === MIGRATED && start()));
  worker.once('listening', stop).once('exit', stop);
}

/** In a worker: suspends the start deadline during a migration. */
export async function withoutDeadline<T>(work: () => Promise<T>): Promise<T> {
  const notify = (message: string) => cluster.isWorker && process.send?.(message, undefined, {}, () => undefined);
  notify(MIGRATING);
  try {
    return await work();
  } finally {
    notify(MIGRATED);
  }
}
