import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { ConfigError } from '../config/config';
import { type Extension, findProblem } from './extension';
import { Extensions } from './extensions';

/** Extensions must share the service's copy: a second copy has other decorators and injection tokens. */
const NEST_PACKAGE = '@nestjs/common';
const requireFromService = createRequire(__filename);

/** Loads the extensions that EXTENSIONS names, and adds `more`. @throws ConfigError when a package or folder can't be loaded */
export function loadExtensions(names: readonly string[], more: readonly Extension[] = []): Extensions {
  return new Extensions([...names.map(loadExtension), ...more]);
}

/** Loads the default export of a package, or of a folder whose path begins with a slash or a dot. @throws ConfigError */
export function loadExtension(name: string): Extension {
  const file = findFile(name);
  const refuse = (reason: string) => new ConfigError(`EXTENSIONS: ${name} can't be loaded: ${reason}`);
  if (!file) throw refuse(`there is no such package or folder with code (resolved from ${process.cwd()}).`);
  const nestFile = locate(createRequire(file), NEST_PACKAGE);
  if (nestFile && nestFile !== locate(requireFromService, NEST_PACKAGE))
    throw refuse(
      `it would use a second copy of ${NEST_PACKAGE}, ${nestFile}. Make it a peer dependency, and install without peers (npm install --omit=peer), or beside frontdesk.`,
    );
  let loaded: unknown;
  try {
    loaded = defaultOf(requireFromService(file)); // loads ES modules, too, since Node 20.19
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

/** Resolves names from the working directory, like the dependencies in its package.json. */
function findFile(name: string): string | undefined {
  return locate(createRequire(join(process.cwd(), 'package.json')), /^\.{0,2}\//.test(name) ? resolve(name) : name);
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
