import { existsSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../config/config';
import { type Extension, findProblem } from './extension';

/** Packages that must be loaded only once: a second copy's decorators and injection tokens don't match ours. */
const SHARED = ['frontdesk', '@nestjs/common', '@nestjs/core', '@nestjs/swagger', '@nestjs/typeorm', 'typeorm', 'class-validator'];

const OTHERS_MAY_WRITE = 0o002;
const GROUP_MAY_WRITE = 0o020;

const ours = createRequire(__filename);

/** Loads the default export of a package, or of a folder whose path begins with a slash or a dot. @throws ConfigError */
export function loadExtension(name: string): Extension {
  const file = findFile(name);
  const refuse = (reason: string) => new ConfigError(`EXTENSIONS: ${name} can't be loaded: ${reason}`);
  if (!file) throw refuse(`there is no such package or folder with code (resolved from ${process.cwd()}).`);
  const reason = findWritable(file) ?? findSecondCopy(file);
  if (reason) throw refuse(reason);
  let loaded: unknown;
  try {
    loaded = defaultOf(ours(file)); // an ES module, too: Node 20.19 and newer
  } catch (error) {
    const [message] = (error as Error).message.split('\n');
    const isMissing = (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    if (isMissing)
      throw refuse(`${message}. Install it in the extension's folder, which must be below the one where frontdesk is installed.`);
    const [, place] = /\n {4}at (.*)/.exec((error as Error).stack ?? '') ?? [];
    throw refuse(place ? `${message} (at ${place})` : message);
  }
  const problem = findProblem(loaded);
  if (problem) throw refuse(problem);
  return loaded as Extension;
}

/** Names resolve from the working directory, like those in its package.json. */
function findFile(name: string): string | undefined {
  return locate(createRequire(join(process.cwd(), 'package.json')), /^\.{0,2}\//.test(name) ? resolve(name) : name);
}

/** The reason to refuse code that other users can write: they could run code as the service. Undefined if they can't. */
function findWritable(file: string): string | undefined {
  for (const path of [file, ...foldersOf(file)]) {
    const { mode, uid, gid } = statSync(path);
    const isOwn = uid === 0 || uid === process.getuid?.();
    if (!isOwn || mode & OTHERS_MAY_WRITE || (mode & GROUP_MAY_WRITE && gid !== process.getgid?.())) {
      return `other users can write to ${path}. Give it to the service's user or root, and run: chmod go-w ${path}`;
    }
  }
  return undefined;
}

/** The file's folder and its parents, up to the one with package.json. */
function foldersOf(file: string): string[] {
  const folder = dirname(file);
  return existsSync(join(folder, 'package.json')) || folder === dirname(folder) ? [folder] : [folder, ...foldersOf(folder)];
}

function findSecondCopy(file: string): string | undefined {
  const theirs = createRequire(file);
  for (const name of SHARED) {
    const [copy, own] = [locate(theirs, name), locate(ours, name === 'frontdesk' ? '../../public' : name)];
    if (copy && copy !== own)
      return `it would use a second copy of ${name}, ${copy} beside ${own}. Make ${name} a peer dependency, and install one.`;
  }
  return undefined;
}

function locate(from: NodeJS.Require, name: string): string | undefined {
  try {
    return realpathSync(from.resolve(name));
  } catch {
    return undefined;
  }
}

/** The default export, including that of an ES module compiled to CommonJS. */
function defaultOf(loaded: unknown): unknown {
  return typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : loaded;
}
