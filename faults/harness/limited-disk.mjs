import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd, run } from '../../bench/harness/processes.mjs';

/** More than SQLite's log needs: a disk filled by the log itself stays full. */
const MEBIBYTES = 96;
const PAGE = Buffer.alloc(4_096);

/** A small file system that can be filled on demand. @throws Error where mounting is not allowed */
export async function mountDisk(folder) {
  mkdirSync(folder, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', `size=${MEBIBYTES}m`, 'tmpfs', folder]);
  atEnd(() => execFileSync('umount', ['--lazy', folder]));
  const ballast = join(folder, 'ballast');
  return {
    kind: `a file system of ${MEBIBYTES} MiB`,
    /** Fills the disk to the last page; the service may take some of the space first. */
    fill() {
      const file = openSync(ballast, 'w');
      try {
        for (;;) writeSync(file, PAGE);
      } catch (error) {
        if (error.code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(ballast),
  };
}

/** Without permission to mount: limits the size of the process's files. */
export function limitFiles(pid, bytes) {
  return run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}
