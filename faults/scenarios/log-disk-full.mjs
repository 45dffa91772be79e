import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/servers/free-port.cjs';
import { limitFiles, mountDisk } from '../harness/limited-disk.mjs';
import { LogLines } from '../harness/log-lines.mjs';
import { must, none, tested } from '../harness/table.mjs';
import { until } from '../harness/waiting.mjs';

export const name = 'log-disk-full';
const ROOM_BYTES = 1_000;

/** Fills the disk under the log, not under the database, restarts the service on it, and frees it. */
export async function run(context) {
  return [...(await runOn(context, 'mariadb')), ...(await runOn(context, 'sqlite'))];
}

async function runOn(context, database) {
  const stage = await context.stage(database);
  const metricsPort = await freePort();
  let disk;
  const service = await stage.start({ METRICS_PORT: String(metricsPort) }, async (one) => {
    disk = await mountDisk(one.folder).catch(() => undefined);
    return one.start();
  });
  if (!disk && database === 'sqlite') {
    context.logProgress(`${name}: no file system may be mounted here, and a limit to the length of files would affect the database`);
    await service.end();
    return [];
  }
  const limit = (bytes) => limitFiles(service.pid, bytes);
  const fill = () => (disk ? disk.fill() : limit(statSync(join(service.folder, 'service-1.log')).size + ROOM_BYTES));
  const empty = () => (disk ? disk.empty() : limit('unlimited'));

  const first = new LogLines();
  await fill();
  await first.sendUntilDropped(service, metricsPort);
  const exitCode = await service.end('SIGTERM');
  await service.start(); // without mounting, the limit ended with the process
  const second = new LogLines();
  if (!disk) await limit(ROOM_BYTES);
  await second.sendUntilDropped(service, metricsPort);
  await empty();
  const log = () => readFileSync(join(service.folder, 'service-2.log'), 'utf8');
  await until(() => log().includes('left_out'), 'The line that counts the dropped ones');
  await service.end('SIGTERM');
  const where = `${database}, ${disk ? disk.kind : 'a limit to the length of files'}`;
  const failed = [...first.failed, ...second.failed];
  return [
    tested(`requests answered on a full disk of the log, ${where}`, first.answered + second.answered),
    none(`other responses, ${where}`, failed.length, failed),
    must(`exit code on the full disk, ${where}`, String(exitCode), '0', exitCode === 0),
    none(`lines neither written nor counted, ${where}`, second.missingIn(log())),
  ];
}
