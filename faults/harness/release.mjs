import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformFile } from '@swc/core';
import { ROOT } from '../../bench/harness/paths.mjs';
import COMPILER from '../../test/support/jest/compiler.cjs';

/**
 * Builds another commit of this repository, with the packages of this one, into the folder; returns the folder of its built `src`. Skips
 * the type check, which takes twenty seconds instead of one.
 */
export async function buildCommit(commit, folder) {
  mkdirSync(folder, { recursive: true });
  const files = execFileSync('git', ['-C', ROOT, 'archive', commit, 'src', 'ormconfig.ts', 'package.json'], {
    maxBuffer: 64 * 1_024 * 1_024,
  });
  execFileSync('tar', ['--extract', '--directory', folder], { input: files });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const names = readdirSync(join(folder, 'src'), { recursive: true }).filter((name) => name.endsWith('.ts'));
  for (const source of ['ormconfig.ts', ...names.map((name) => join('src', name))]) {
    const target = join(folder, 'dist', source.replace(/ts$/, 'js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, (await transformFile(join(folder, source), COMPILER)).code);
  }
  cpSync(join(folder, 'package.json'), join(folder, 'dist', 'package.json'));
  return join(folder, 'dist/src');
}

/** The last commit that changed a file; empty if there is none. */
export function lastChangeOf(file) {
  return execFileSync('git', ['-C', ROOT, 'log', '-1', '--format=%H', '--', file], { encoding: 'utf8' }).trim();
}
