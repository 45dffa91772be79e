import { existsSync } from 'node:fs';
import { Config, ConfigError } from './config';
import { readEnvFile } from './env-file';
import { Environment, InvalidValue } from './environment';
import { EXTENSION_LIST } from './value-types';

/** `overrides` take precedence over the environment's variables. @throws ConfigError */
export function readConfig(overrides: Record<string, string | undefined> = {}): Config {
  return new Config({ ...readEnvironment(), ...overrides });
}

/** Reads EXTENSIONS alone: `--help` must work without any other configuration. @throws ConfigError */
export function readExtensionNames(): readonly string[] {
  return new ExtensionNames(readEnvironment()).read();
}

class ExtensionNames extends Environment {
  read(): readonly string[] {
    const names = this.value('EXTENSIONS', '', EXTENSION_LIST);
    if (this.problems.length > 0) throw new ConfigError(this.problems.join('\n'));
    return names;
  }
}

/** Checks the only variables that matter to a sandbox. @throws ConfigError if they are meant for a real service */
export function checkSandboxEnvironment({ NODE_ENV, ...variables } = process.env): void {
  if (NODE_ENV === 'production') throw new ConfigError("A sandbox is for tests: it doesn't start with NODE_ENV=production.");
  const name = ['DATABASE_URL', 'DATABASE_URL_FILE'].find((each) => variables[each]);
  if (name) throw new ConfigError(`${name} is set, but a sandbox creates its own database: unset it.`);
}

const ENV_FILE = '.env';

/**
 * The environment takes precedence over a .env file. Doesn't change process.env: restarted workers would inherit outdated values.
 * @throws ConfigError
 */
function readEnvironment(): Record<string, string | undefined> {
  try {
    return { ...(existsSync(ENV_FILE) ? readEnvFile(ENV_FILE) : {}), ...process.env };
  } catch (error) {
    throw error instanceof InvalidValue ? new ConfigError(`${ENV_FILE} ${error.message}`) : error;
  }
}
