import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type ChannelAccounts, readChannelAccounts } from './channel-accounts';
import { type DatabaseLocation, parseDatabaseUrl } from './database-url';
import { type DeliverySettings, readDeliverySettings } from './delivery-settings';
import { type DomainSettings, type EdgeSettings, readDomainSettings, readEdgeSettings } from './domain-settings';
import {
  EnvironmentReader,
  MAX_WORKERS,
  parseHosts,
  parseOrigins,
  parsePublicUrl,
  parseRedisUrl,
  parseSecretsKeys,
  parseWorkers,
} from './environment';
import { type OutboundSettings, readOutboundSettings } from './outbound-settings';

const DEFAULT_PORT = 3000;
const MAX_REQUESTS = 1_000_000_000;
const MAX_RECORDS = 1_000_000_000;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Invalid configuration. The message names every invalid environment variable and its accepted values. */
export class ConfigError extends Error {}

/** The whole environment, read and validated once. A new variable also goes into .env.example and the README. */
export class Config {
  readonly port: number;
  readonly host: string;
  /** Base of every link, without a trailing slash. */
  readonly publicUrl: string;
  readonly database: DatabaseLocation;
  readonly databasePoolSize: number;
  /** Concurrent requests per process. */
  readonly maxInFlight: number;
  readonly workers: number;
  readonly migrations: 'auto' | 'manual';
  /** 32 bytes each; the first encrypts, all decrypt. When empty, the embedded database uses its key file. */
  readonly secretsKeys: readonly Buffer[];
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly corsOrigins: ReadonlySet<string>;
  /** Requests per account and minute; undefined: unlimited. */
  readonly rateLimit?: number;
  /** URL of the Redis that holds the shared request counters; may contain a password. Undefined: each process keeps its own. */
  readonly redisUrl?: string;
  /** Undefined: no metrics. */
  readonly metricsPort?: number;
  readonly metricsHost: string;
  /** Names and addresses by which the metrics may be requested, besides metricsHost and loopback. */
  readonly metricsAllowedHosts: readonly string[];
  /** Whether the first start on an empty embedded database creates a demo account. */
  readonly demo: boolean;
  readonly outbound: OutboundSettings;
  readonly channels: ChannelAccounts;
  readonly deliveries: DeliverySettings;
  readonly domains: DomainSettings;
  /** Notification handlers per account; undefined: unlimited. */
  readonly maxHandlers?: number;
  readonly edge: EdgeSettings;

  /** @throws ConfigError naming every invalid variable */
  constructor(env: Record<string, string | undefined>) {
    const read = new EnvironmentReader(env);
    this.port = read.integer('PORT', DEFAULT_PORT, 0, 65_535);
    this.host = read.text('HOST', '0.0.0.0');
    this.publicUrl = read.value('PUBLIC_URL', `http://localhost:${this.port}`, 'an http(s) URL', parsePublicUrl);
    const databaseUrl = 'sqlite:<file> or mysql://user:password@host:port/database';
    this.database = read.secret('DATABASE_URL', 'sqlite:data/frontdesk.sqlite', databaseUrl, parseDatabaseUrl);
    this.databasePoolSize = read.integer('DATABASE_POOL_SIZE', 10, 1, 1000);
    this.maxInFlight = read.integer('MAX_IN_FLIGHT', this.databasePoolSize, 1, 10_000);
    this.workers = read.value('WORKERS', '1', `auto, or an integer from 1 to ${MAX_WORKERS}`, parseWorkers);
    if (this.database?.type === 'sqlite' && this.workers > 1) {
      read.problems.push('WORKERS must be 1 on SQLite, which supports only one service process. For more workers, use MySQL.');
    }
    this.migrations = read.oneOf('MIGRATIONS', 'auto', ['auto', 'manual']);
    this.secretsKeys = read.secret('SECRETS_KEY', '', '32 bytes in base64, or several such keys, comma-separated', parseSecretsKeys);
    if (this.database?.type === 'mysql' && this.secretsKeys?.length === 0) {
      read.problems.push('SECRETS_KEY is required on MySQL: set it to the output of `openssl rand -base64 32`, and keep it.');
    }
    this.logLevel = read.oneOf('LOG_LEVEL', 'info', LOG_LEVELS);
    this.corsOrigins = read.value('CORS_ORIGINS', '', 'comma-separated origins, such as https://app.example.com', parseOrigins);
    this.rateLimit = read.optionalInteger('RATE_LIMIT', 1, MAX_REQUESTS);
    this.redisUrl = read.optional('REDIS_URL', 'redis://user:password@host:port/number, or rediss:// for TLS', parseRedisUrl);
    this.metricsPort = read.optionalInteger('METRICS_PORT', 1, 65_535);
    this.metricsHost = read.text('METRICS_HOST', '127.0.0.1');
    this.metricsAllowedHosts = read.value(
      'METRICS_ALLOWED_HOSTS',
      '',
      'comma-separated host names or IP addresses, without ports',
      parseHosts,
    );
    this.demo = read.oneOf('DEMO', 'on', ['on', 'off']) === 'on';
    this.outbound = readOutboundSettings(read);
    this.channels = readChannelAccounts(read);
    this.deliveries = readDeliverySettings(read);
    this.domains = readDomainSettings(read);
    this.maxHandlers = read.optionalInteger('MAX_HANDLERS', 1, MAX_RECORDS);
    this.edge = readEdgeSettings(read);
    refuseSharedPorts(read, [
      { name: 'PORT', port: this.port, host: this.host },
      { name: 'METRICS_PORT', port: this.metricsPort, host: this.metricsHost },
      { name: 'EDGE_PORT', port: this.edge.port },
    ]);
    if (read.problems.length > 0) throw new ConfigError(read.problems.join('\n'));
  }
}

interface Listener {
  name: string;
  port?: number;
  /** Undefined: on no address may another listener have the port. */
  host?: string;
}

function refuseSharedPorts({ problems }: EnvironmentReader, listeners: readonly Listener[]): void {
  for (const [index, later] of listeners.entries()) {
    const shared = listeners.slice(0, index).find(({ port, host }) => port && port === later.port && overlap(host, later.host));
    if (shared) problems.push(`${later.name} must differ from ${shared.name}.`);
  }
}

/** Whether both can't listen on one port: a wildcard covers every address. */
function overlap(...hosts: (string | undefined)[]): boolean {
  return hosts[0] === hosts[1] || hosts.some((host) => host === undefined || ['0.0.0.0', '::'].includes(host));
}

/** The environment takes precedence over a .env file. process.env stays unchanged: restarted workers would inherit outdated values. */
export function readConfig(): Config {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return new Config({ ...file, ...process.env });
}

/** Variables by which a part of the service is off, set or unset. Names only: a value may be secret. */
export function switchedOff({ migrations, demo, metricsPort, edge, domains, deliveries, channels }: Config): string[] {
  const off = {
    MIGRATIONS: migrations === 'manual',
    DEMO: !demo,
    METRICS_PORT: metricsPort === undefined,
    EDGE_PORT: edge.port === undefined,
    DOMAIN_CHECKS: !domains.checks,
    DELIVERY_CONCURRENCY: deliveries.concurrency === 0,
    DELIVERY_DAILY_LIMIT: [...deliveries.dailyLimits.values()].includes(0),
    SMTP_URL: !channels.smtp,
    TWILIO_ACCOUNT_SID: !channels.twilio,
  };
  return Object.keys(off).filter((name) => off[name as keyof typeof off]);
}
