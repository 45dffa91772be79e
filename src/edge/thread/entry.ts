import { parentPort, workerData } from 'node:worker_threads';
import { RequestLog } from '../../observability/logging';
import type { EdgeThreadOptions, MessageFromThread, MessageToThread } from '../messages';
import { EdgeServer } from './edge-server';
import { HostTable } from './hosts/host-table';
import { KnownHosts } from './hosts/known-hosts';
import { batchedOutput } from './log-output';
import { Tally } from './tally';

// The edge's thread: no Nest, no database, and an event loop that the interface can't hold up.

const REPORT_INTERVAL_MS = 1_000;

const options = workerData as EdgeThreadOptions;
const post = (message: MessageFromThread) => parentPort?.postMessage(message);
const table = new HostTable(() => performance.now());
const hosts = new KnownHosts(table, (asked) => post({ type: 'query', hosts: asked }));
const tally = new Tally();
const server = new EdgeServer(hosts, tally, new RequestLog(options.logLevel, batchedOutput()));
const report = () => post({ type: 'report', counts: tally.take(), hosts: table.size });

parentPort?.on('message', (message: MessageToThread) => {
  if (message.type === 'listen') void listen();
  else if (message.type === 'stop') void stop();
  else hosts.receive(message);
});
post({ type: 'ready' });

async function listen(): Promise<void> {
  try {
    await server.listen(options);
    setInterval(report, REPORT_INTERVAL_MS);
    post({ type: 'listening' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    post({ type: 'failed', code, message });
    process.exit(1);
  }
}

async function stop(): Promise<void> {
  await server.drain();
  report();
  process.exit(0); // ends this thread alone
}
