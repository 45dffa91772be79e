import cluster, { type Worker } from 'node:cluster';

const MIGRATING = 'frontdesk:migrating';
const MIGRATED = 'frontdesk:migrated';

/** In the primary: kills a worker that isn't listening in time. Migrations don't count. */
export function enforceStartDeadline(worker: Worker, milliseconds: number): void {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const start = () => {
    stop();
    timer = setTimeout(() => {
      const seconds = milliseconds / 1_000;
      process.stderr.write(`frontdesk: worker ${worker.process.pid} was killed: it was not listening after ${seconds} s.\n`);
      worker.process.kill('SIGKILL');
    }, milliseconds);
  };
  start();
  worker.on('message', (message) => (message === MIGRATING ? stop() : message === MIGRATED && start()));
  worker.once('listening', stop).once('exit', stop);
}

/** In a worker: pauses the deadline while it migrates. */
export async function withoutDeadline<T>(work: () => Promise<T>): Promise<T> {
  const notify = (message: string) => cluster.isWorker && process.send?.(message, undefined, {}, () => undefined);
  notify(MIGRATING);
  try {
    return await work();
  } finally {
    notify(MIGRATED);
  }
}
