import cluster, { type Address, type Worker } from 'node:cluster';
import { once } from 'node:events';
import { addressOf, endOnSignal } from './process';

const RETRY_MILLISECONDS = 1_000;

/** Several processes that serve one port. One that dies is replaced; SIGHUP replaces one after another, SIGTERM ends all. */
export class Workers {
  private readonly dismissed = new Set<Worker>();
  private isEnding = false;
  private rolling = false;

  constructor(private readonly count: number) {}

  /** @throws Error when one of them can't start, which has said why */
  async start(): Promise<void> {
    endOnSignal(() => this.end());
    process.on('SIGHUP', () => void this.roll());
    const addresses = await Promise.all(Array.from({ length: this.count }, () => this.add()));
    cluster.on('exit', (worker) => void this.replace(worker));
    process.stdout.write(`frontdesk answers at ${addressOf(addresses[0])}, with ${this.count} processes\n`);
  }

  /** Starts a worker, and waits until it listens. */
  private add(): Promise<Address> {
    const worker = cluster.fork();
    return new Promise((resolve, reject) => {
      worker.once('listening', resolve);
      worker.once('exit', () => reject(new Error('A process of the service ended before it listened.')));
    });
  }

  private async replace(worker: Worker): Promise<void> {
    if (this.isEnding || this.dismissed.delete(worker)) return;
    process.stderr.write(`frontdesk: process ${worker.process.pid} has died and is replaced.\n`);
    await this.add().catch(() => setTimeout(() => void this.replace(worker), RETRY_MILLISECONDS));
  }

  /** The new one listens before the old one goes; when it can't, those that are left stay. */
  private async roll(): Promise<void> {
    if (this.rolling || this.isEnding) return;
    this.rolling = true;
    try {
      for (const old of workers()) {
        await this.add();
        await this.dismiss(old);
      }
    } catch (error) {
      process.stderr.write(`frontdesk: ${(error as Error).message} The others go on.\n`);
    } finally {
      this.rolling = false;
    }
  }

  private async dismiss(worker: Worker): Promise<void> {
    if (worker.isDead()) return;
    this.dismissed.add(worker);
    worker.process.kill('SIGTERM');
    await once(worker, 'exit');
  }

  private async end(): Promise<void> {
    this.isEnding = true;
    await Promise.all(workers().map((worker) => this.dismiss(worker)));
    process.exit(0);
  }
}

function workers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}
