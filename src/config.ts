import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';

const DEFAULT_PORT = 3000;
const MOST_WORKERS = 256;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export interface MysqlServer {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

export type DatabaseLocation = { type: 'sqlite'; file: string } | { type: 'mysql'; server: MysqlServer };

/** One or more environment variables are wrong; the message names each and says what it takes. */
export class ConfigError extends Error {}

/** The whole environment: read once, checked once. A new variable goes here and into .env.example. */
export class Config {
  readonly port: number;
  readonly host: string;
  /** Without a trailing slash; every link is built from it. */
  readonly publicUrl: string;
  readonly database: DatabaseLocation;
  readonly databasePoolSize: number;
  /** Requests that a process carries out at once. */
  readonly maxInFlight: number;
  /** Processes that serve. */
  readonly workers: number;
  readonly migrations: 'auto' | 'manual';
  /** 32 bytes each; the first encrypts, all decrypt. Empty on the embedded database: the key file's then. */
  readonly secretsKeys: readonly Buffer[];
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly corsOrigins: ReadonlySet<string>;

  /** @throws ConfigError naming every wrong variable */
  constructor(env: Record<string, string | undefined>) {
    const read = new EnvironmentReader(env);
    this.port = read.integer('PORT', DEFAULT_PORT, 0, 65_535);
    this.host = read.text('HOST', '0.0.0.0');
    this.publicUrl = read.value('PUBLIC_URL', `http://localhost:${this.port ?? DEFAULT_PORT}`, 'an http(s) URL', readPublicUrl);
    this.database = read.value(
      'DATABASE_URL',
      'sqlite:data/frontdesk.sqlite',
      'sqlite:<file> or mysql://user:password@host:port/database',
      readDatabaseUrl,
    );
    this.databasePoolSize = read.integer('DATABASE_POOL_SIZE', 10, 1, 1000);
    this.maxInFlight = read.integer('MAX_IN_FLIGHT', this.databasePoolSize, 1, 10_000);
    this.workers = read.value('WORKERS', '1', `auto, or an integer from 1 to ${MOST_WORKERS}`, readWorkers);
    if (this.database?.type === 'sqlite' && this.workers > 1) {
      read.problems.push('WORKERS must be 1 on SQLite: one process has the file. For more, use MySQL.');
    }
    this.migrations = read.oneOf('MIGRATIONS', 'auto', ['auto', 'manual']);
    this.secretsKeys = read.value('SECRETS_KEY', '', '32 bytes in base64; several with commas between', readSecretsKeys);
    if (this.database?.type === 'mysql' && this.secretsKeys?.length === 0) {
      read.problems.push('SECRETS_KEY is required on MySQL: set it to the output of `openssl rand -base64 32`.');
    }
    this.logLevel = read.oneOf('LOG_LEVEL', 'info', LOG_LEVELS);
    this.corsOrigins = read.value('CORS_ORIGINS', '', 'origins such as https://app.example.com, with commas between', readOrigins);
    if (read.problems.length > 0) throw new ConfigError(read.problems.join('\n'));
  }
}

/**
 * The configuration of this process: the environment, and what a .env file in the working directory adds to it. The
 * environment itself stays as it is: a process that is started by this one reads the file anew.
 */
export function readConfig(): Config {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return new Config({ ...file, ...process.env });
}

class EnvironmentReader {
  readonly problems: string[] = [];

  constructor(private readonly env: Record<string, string | undefined>) {}

  text(name: string, fallback: string): string {
    return this.env[name]?.trim() || fallback;
  }

  integer(name: string, fallback: number, least: number, most: number): number {
    return this.value(name, String(fallback), `an integer from ${least} to ${most}`, (text) => {
      const number = Number(text);
      return /^\d+$/.test(text) && number >= least && number <= most ? number : undefined;
    });
  }

  oneOf<T extends string>(name: string, fallback: T, allowed: readonly T[]): T {
    return this.value(name, fallback, `one of ${allowed.join(', ')}`, (text) => allowed.find((word) => word === text));
  }

  /** A wrong value is noted, never repeated, for it may hold a password; what is read on with is undefined until the end refuses it. */
  value<T>(name: string, fallback: string, accepts: string, parse: (text: string) => T | undefined): T {
    const value = parse(this.text(name, fallback));
    if (value === undefined) this.problems.push(`${name} must be ${accepts}.`);
    return value as T;
  }
}

function readPublicUrl(text: string): string | undefined {
  const url = /^https?:\/\/[^\s\\]+$/.test(text) ? URL.parse(text) : null;
  if (!url || /[?#]/.test(text) || url.username || url.password) return undefined;
  return url.href.replace(/\/+$/, '');
}

function readDatabaseUrl(text: string): DatabaseLocation | undefined {
  if (text.startsWith('sqlite:')) {
    const file = text.slice('sqlite:'.length);
    return file ? { type: 'sqlite', file: resolve(file) } : undefined;
  }
  const server = readMysqlServer(URL.parse(text));
  return server && { type: 'mysql', server };
}

function readMysqlServer(url: URL | null): MysqlServer | undefined {
  if (url?.protocol !== 'mysql:' || !url.hostname || !url.username || !/^\/[^/]+$/.test(url.pathname) || url.search || url.hash)
    return undefined;
  try {
    const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decodeURIComponent);
    return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 3306), user, password, database };
  } catch {
    return undefined; // a % that is not part of an escape
  }
}

function readWorkers(text: string): number | undefined {
  if (text === 'auto') return availableParallelism();
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_WORKERS ? Number(text) : undefined;
}

function readSecretsKeys(text: string): Buffer[] | undefined {
  const parts = splitList(text);
  return parts.every((part) => /^[A-Za-z0-9+/]{43}=$/.test(part)) ? parts.map((part) => Buffer.from(part, 'base64')) : undefined;
}

function readOrigins(text: string): Set<string> | undefined {
  const origins = splitList(text);
  return origins.every((origin) => URL.parse(origin)?.origin === origin) ? new Set(origins) : undefined;
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}
