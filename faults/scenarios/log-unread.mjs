import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/servers/free-port.cjs';
import { Client } from '../harness/client.mjs';
import { locationOf } from '../harness/edge.mjs';
import { LogLines } from '../harness/log-lines.mjs';
import { must, none, tested } from '../harness/table.mjs';
import { until } from '../harness/waiting.mjs';

export const name = 'log-unread';

/** Leaves the pipe that the service logs to unread, reads it, then leaves it unread until the service ends. */
export async function run(context) {
  return [...(await runOn(context, 'mariadb', { WORKERS: '2' })), ...(await runOn(context, 'sqlite', {}))];
}

async function runOn(context, database, env) {
  const stage = await context.stage(database);
  const [edgePort, metricsPort] = [await freePort(), await freePort()];
  const pipe = openPipe(join(stage.folder, 'log-pipe'));
  const ports = { EDGE_PORT: String(edgePort), METRICS_PORT: String(metricsPort) };
  const service = await stage.start({ ...env, ...ports }, (one) => one.startOn(pipe));
  const lines = new LogLines();
  await lines.sendUntilDropped(service, metricsPort);
  const client = new Client(service.port);
  const { status: live } = await client.send('GET', '/health/live');
  const edge = await locationOf(edgePort, 'nobody.example.com');
  let log = '';
  await until(() => (log += readAll(pipe)).includes('left_out') && lines.missingIn(log) === 0, 'The last line').catch(() => undefined);
  const rows = [
    tested(`requests answered while nobody reads, ${database}`, lines.answered),
    none(`other responses, ${database}`, lines.failed.length, lines.failed),
    must(`/health/live and the edge, ${database}`, `${live}, ${edge}`, '200, 404', live === 200 && edge === 404),
    none(`lines neither read later nor counted, ${database}`, lines.missingIn(log)),
  ];
  await new LogLines().sendUntilDropped(service, metricsPort);
  client.close();
  const exitCode = await service.end('SIGTERM');
  closeSync(pipe);
  return [...rows, must(`exit code while nobody reads, ${database}`, String(exitCode), '0', exitCode === 0)];
}

/** Opens both ends of a named pipe, so that it always has a reader. */
function openPipe(path) {
  execFileSync('mkfifo', [path]);
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
}

function readAll(file) {
  const chunk = Buffer.alloc(65_536);
  const chunks = [];
  try {
    for (;;) chunks.push(Buffer.from(chunk.subarray(0, readSync(file, chunk))));
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error;
  }
  return Buffer.concat(chunks).toString();
}
