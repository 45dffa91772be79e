import cluster, { type Worker } from 'node:cluster';

const MIGRATING = 'frontdesk:migrating';
const MIGRATED = 'frontdesk:migrated';

/** In the primary: kills a worker that does not listen in time. Migrations may take as long as they need. */
export function limitStart(worker: Worker, milliseconds: number): void {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const start = () => {
    stop();
    timer = setTimeout(() => {
      const seconds = milliseconds / 1_000;
      process.stderr.write(`frontdesk: process ${worker.process.pid} was killed: it did not listen within ${seconds} s.\n`);
      worker.process.kill('SIGKILL');
    }, milliseconds);
  };
  start();
  worker.on('message', (message) => (message === MIGRATING ? stop() : message === MIGRATED && start()));
  worker.once('listening', stop).once('exit', stop);
}

/** In a worker: stops the primary's clock for as long as the work takes. */
export async function withoutDeadline<T>(work: () => Promise<T>): Promise<T> {
  const tell = (message: string) => cluster.isWorker && process.send?.(message, undefined, {}, () => undefined);
  tell(MIGRATING);
  try {
    return await work();
  } finally {
    tell(MIGRATED);
  }
}
