import cluster, { type Address, type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf, endOnSignal } from './process';
import { limitStart } from './start-deadline';

const RETRY_MILLISECONDS = 1_000;
/** Longer than a worker waits while another process migrates. */
const START_MILLISECONDS = 150_000;
/** Longer than a worker takes to end by itself. */
const END_MILLISECONDS = 12_000;

/** Several processes that serve one port. One that dies is replaced; SIGHUP replaces one after another, SIGTERM ends all. */
export class Workers {
  private readonly serving = new Set<Worker>();
  private isEnding = false;
  private isRolling = false;
  private isRollAsked = false;

  constructor(
    private readonly count: number,
    private readonly startMilliseconds = START_MILLISECONDS,
  ) {}

  /** @throws Error when one of them can't start, which has said why */
  async start(): Promise<void> {
    let isStarted = false;
    endOnSignal(() => this.end());
    process.on('SIGHUP', () => isStarted && void this.roll());
    cluster.on('exit', (worker, code, signal) => this.replaceIfServing(worker, signal || `code ${code}`));
    try {
      const addresses = await Promise.all(Array.from({ length: this.count }, () => this.add()));
      process.stdout.write(`frontdesk answers at ${addressOf(addresses[0])}, with ${this.count} processes\n`);
      isStarted = true;
    } catch (error) {
      if (!this.isEnding) throw error;
    }
  }

  /** Starts a worker, and waits until it listens. */
  private add(): Promise<Address> {
    const worker = cluster.fork();
    limitStart(worker, this.startMilliseconds);
    return new Promise((resolve, reject) => {
      worker.once('exit', () => reject(new Error('A process of the service ended before it listened.')));
      worker.once('listening', (address) => {
        this.serving.add(worker);
        resolve(address);
      });
    });
  }

  private replaceIfServing(worker: Worker, end: string): void {
    if (!this.serving.delete(worker) || this.isEnding) return;
    process.stderr.write(`frontdesk: process ${worker.process.pid} has died (${end}) and is replaced.\n`);
    void this.replace();
  }

  private async replace(): Promise<void> {
    while (!this.isEnding) {
      try {
        await this.add();
        if (!this.isRolling) await this.dismissExtra();
        return;
      } catch {
        await sleep(RETRY_MILLISECONDS);
      }
    }
  }

  /** Asked again while it is at work, it begins anew: what has been replaced may be old already. */
  private async roll(): Promise<void> {
    this.isRollAsked = true;
    if (this.isRolling) return;
    this.isRolling = true;
    while (this.isRollAsked && !this.isEnding) {
      this.isRollAsked = false;
      await this.replaceAll().catch((error: Error) => process.stderr.write(`frontdesk: ${error.message} The others go on.\n`));
    }
    this.isRolling = false;
  }

  /** A new one listens before an old one goes. */
  private async replaceAll(): Promise<void> {
    for (const old of [...this.serving]) {
      if (this.isEnding) return;
      await this.add();
      if (this.serving.size > this.count) await this.dismiss(old);
    }
    await this.dismissExtra();
  }

  /** The oldest, when a roll and a death have each brought a new one. While a roll is at work, it sees to that itself. */
  private async dismissExtra(): Promise<void> {
    const [oldest] = this.serving;
    if (this.serving.size > this.count) await this.dismiss(oldest);
  }

  private async dismiss(worker: Worker): Promise<void> {
    this.serving.delete(worker);
    if (worker.isDead()) return;
    const deadline = setTimeout(() => worker.process.kill('SIGKILL'), END_MILLISECONDS);
    worker.process.kill('SIGTERM');
    await once(worker, 'exit');
    clearTimeout(deadline);
  }

  private async end(): Promise<void> {
    this.isEnding = true;
    for (let living = livingWorkers(); living.length > 0; living = livingWorkers()) {
      await Promise.all(living.map((worker) => this.dismiss(worker)));
    }
    process.exit(0);
  }
}

function livingWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined && !worker.isDead()) as Worker[];
}
