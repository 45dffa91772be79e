import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd, run } from '../../bench/harness/processes.mjs';

const MEBIBYTES = 8;
const PAGE = Buffer.alloc(4_096);

/** A small file system of its own, which is full when it is told to be. @throws Error where none may be mounted */
export async function mountDisk(folder) {
  mkdirSync(folder, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', `size=${MEBIBYTES}m`, 'tmpfs', folder]);
  atEnd(() => execFileSync('umount', ['--lazy', folder]));
  const ballast = join(folder, 'ballast');
  return {
    kind: `a file system of ${MEBIBYTES} MiB`,
    /** To the last page; the service may take what is left before it is written. */
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

/** Where no file system may be mounted: the system refuses a process to make any file longer than this. */
export function limitFiles(pid, bytes) {
  return run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}
