import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type DatabaseLocation, readDatabaseUrl } from './database-url';
import { EnvironmentReader, MAX_WORKERS, readOrigins, readPublicUrl, readRedisUrl, readSecretsKeys, readWorkers } from './environment';

const DEFAULT_PORT = 3000;
const MAX_REQUESTS = 1_000_000_000;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

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
  /** Requests a minute an account; undefined: as many as it likes. */
  readonly rateLimit?: number;
  /** Where processes share what they count; undefined: each counts for itself. It may hold a password. */
  readonly redisUrl?: string;
  /** Undefined: nothing is measured. */
  readonly metricsPort?: number;
  readonly metricsHost: string;
  /** Whether the first start on an empty embedded database makes a demo account. */
  readonly demo: boolean;

  /** @throws ConfigError naming every wrong variable */
  constructor(env: Record<string, string | undefined>) {
    const read = new EnvironmentReader(env);
    this.port = read.integer('PORT', DEFAULT_PORT, 0, 65_535);
    this.host = read.text('HOST', '0.0.0.0');
    this.publicUrl = read.value('PUBLIC_URL', `http://localhost:${this.port}`, 'an http(s) URL', readPublicUrl);
    this.database = read.secret(
      'DATABASE_URL',
      'sqlite:data/frontdesk.sqlite',
      'sqlite:<file> or mysql://user:password@host:port/database',
      readDatabaseUrl,
    );
    this.databasePoolSize = read.integer('DATABASE_POOL_SIZE', 10, 1, 1000);
    this.maxInFlight = read.integer('MAX_IN_FLIGHT', this.databasePoolSize, 1, 10_000);
    this.workers = read.value('WORKERS', '1', `auto, or an integer from 1 to ${MAX_WORKERS}`, readWorkers);
    if (this.database?.type === 'sqlite' && this.workers > 1) {
      read.problems.push('WORKERS must be 1 on SQLite: one process has the file. For more, use MySQL.');
    }
    this.migrations = read.oneOf('MIGRATIONS', 'auto', ['auto', 'manual']);
    this.secretsKeys = read.secret('SECRETS_KEY', '', '32 bytes in base64; several with commas between', readSecretsKeys);
    if (this.database?.type === 'mysql' && this.secretsKeys?.length === 0) {
      read.problems.push('SECRETS_KEY is required on MySQL: set it to the output of `openssl rand -base64 32`, and keep it.');
    }
    this.logLevel = read.oneOf('LOG_LEVEL', 'info', LOG_LEVELS);
    this.corsOrigins = read.value('CORS_ORIGINS', '', 'origins such as https://app.example.com, with commas between', readOrigins);
    this.rateLimit = read.optionalInteger('RATE_LIMIT', 1, MAX_REQUESTS);
    this.redisUrl = read.optional('REDIS_URL', 'redis://user:password@host:port/number, or rediss:// for TLS', readRedisUrl);
    this.metricsPort = read.optionalInteger('METRICS_PORT', 1, 65_535);
    this.metricsHost = read.text('METRICS_HOST', '127.0.0.1');
    if (this.metricsPort !== undefined && this.metricsPort === this.port && overlap(this.host, this.metricsHost)) {
      read.problems.push('METRICS_PORT must differ from PORT.');
    }
    this.demo = read.oneOf('DEMO', 'on', ['on', 'off']) === 'on';
    if (read.problems.length > 0) throw new ConfigError(read.problems.join('\n'));
  }
}

/** Whether one port can't serve both addresses: a wildcard takes it on all of them. */
function overlap(...hosts: [string, string]): boolean {
  return hosts[0] === hosts[1] || hosts.some((host) => ['0.0.0.0', '::'].includes(host));
}

/**
 * The configuration of this process: the environment, and what a .env file in the working directory adds to it. The
 * environment itself stays as it is: a process that is started by this one reads the file anew.
 */
export function readConfig(): Config {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return new Config({ ...file, ...process.env });
}
