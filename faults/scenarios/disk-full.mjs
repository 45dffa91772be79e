import { statSync } from 'node:fs';
import { join } from 'node:path';
import { limitFiles, mountDisk } from '../harness/limited-disk.mjs';
import { writeThroughOutage } from '../harness/outage.mjs';

export const name = 'disk-full';
const ROOM_BYTES = 128 * 1_024;

/** Fills the disk under the embedded database during writes, and frees it later. */
export async function run(context) {
  const folder = join(context.folder, 'disk');
  const disk = await mountDisk(folder).catch(() => undefined);
  if (!disk) context.logProgress(`${name}: no file system may be mounted here, so the length of files is limited`);
  const stage = context.sqliteIn(folder);
  await stage.frontdesk('migrate');
  const { key } = await stage.account('writers');
  const service = await stage.start({ LOG_LEVEL: 'silent' }, (one) => one.startWithoutFiles());
  const limited = {
    kind: 'a limit to the length of files',
    fill: () => limitFiles(service.pid, statSync(join(folder, 'faults.sqlite-wal')).size + ROOM_BYTES),
    empty: () => limitFiles(service.pid, 'unlimited'),
  };
  const { kind, fill, empty } = disk ?? limited;
  return writeThroughOutage(context, {
    service,
    key,
    seconds: context.either(6, 3),
    where: `SQLite, ${kind}`,
    begin: fill,
    end: empty,
    restart: () => service.startWithoutFiles(),
  });
}
