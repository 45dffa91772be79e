import {
  defaultEhloName,
  EHLO_NAME,
  LANGUAGE,
  MAIL_FROM,
  SMTP_URL,
  type SmtpAccount,
  TWILIO_SID,
  TWILIO_TOKEN,
  type TwilioAccount,
} from './channel-accounts';
import { DATABASE_URL } from './database-url';
import { Environment } from './environment';
import {
  DAILY_LIMITS,
  DELIVERY_WAITS,
  EDGE_TARGET,
  EXTENSION_LIST,
  HOST_LIST,
  NAME_SERVER_LIST,
  NETWORK_LIST,
  ORIGIN_LIST,
  PUBLIC_URL,
  REDIS_URL,
  SECRETS_KEY_LIST,
  WORKERS,
} from './value-types';

const MAX_PORT = 65_535;
const MAX_COUNT = 1_000_000_000;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const TWILIO_SENDERS = ['TWILIO_FROM', 'TWILIO_MESSAGING_SERVICE_SID', 'TWILIO_WHATSAPP_FROM', 'TWILIO_WHATSAPP_CONTENT_SID'];

/** Invalid configuration. The message names every invalid environment variable and its accepted values. */
export class ConfigError extends Error {}

/** The whole environment, read and validated once. A new variable also goes into .env.example and the README. */
export class Config extends Environment {
  readonly port = this.integer('PORT', 3000, 0, MAX_PORT);
  readonly host = this.text('HOST', '0.0.0.0');
  /** Base of every link, without a trailing slash. */
  readonly publicUrl = this.value('PUBLIC_URL', `http://localhost:${this.port}`, PUBLIC_URL);
  /** Whether links lead to localhost, although other machines can reach the service. */
  readonly lacksPublicUrl =
    this.text('NODE_ENV') === 'production' && this.text('PUBLIC_URL') === '' && !/^(localhost|::1|127\..*)$/.test(this.host);
  readonly database = this.secret('DATABASE_URL', 'sqlite:data/frontdesk.sqlite', DATABASE_URL);
  readonly databasePoolSize = this.integer('DATABASE_POOL_SIZE', 10, 1, 1000);
  /** How long an idle connection stays open. Must exceed every proxy's idle timeout, or a proxy may send a request on a closing connection. */
  readonly keepAliveMs = 1_000 * this.integer('KEEP_ALIVE_SECONDS', 620, 1, 86_400);
  /** Concurrent requests per process. */
  readonly maxInFlight = this.integer('MAX_IN_FLIGHT', this.databasePoolSize, 1, 10_000);
  readonly workers = this.readWorkers();
  readonly migrations = this.oneOf('MIGRATIONS', 'auto', ['auto', 'manual']);
  /** 32 bytes each. The first one encrypts, and all of them decrypt. If there are none, the embedded database uses its key file. */
  readonly secretsKeys = this.readSecretsKeys();
  /** Packages, or folders whose path begins with a slash or a dot. */
  readonly extensions = this.value('EXTENSIONS', '', EXTENSION_LIST);
  readonly logLevel = this.oneOf('LOG_LEVEL', 'info', LOG_LEVELS);
  readonly corsOrigins = new Set(this.value('CORS_ORIGINS', '', ORIGIN_LIST));
  /** Requests per account per minute; undefined: unlimited. */
  readonly rateLimit = this.optionalInteger('RATE_LIMIT', 1, MAX_COUNT);
  /** URL of the Redis that holds the shared request counters; may contain a password. Undefined: each process keeps its own. */
  readonly redisUrl = this.optional('REDIS_URL', REDIS_URL);
  /** Undefined: no metrics. */
  readonly metricsPort = this.optionalInteger('METRICS_PORT', 1, MAX_PORT);
  readonly metricsHost = this.text('METRICS_HOST', '127.0.0.1');
  /** Names and addresses by which the metrics may be requested, in addition to metricsHost and loopback. */
  readonly metricsAllowedHosts = this.value('METRICS_ALLOWED_HOSTS', '', HOST_LIST);
  /** Whether the first start on an empty embedded database creates a demo account. */
  readonly demo = this.isOn('DEMO', this.text('NODE_ENV') === 'production' ? 'off' : 'on');
  /** Whether the console is served. */
  readonly console = this.isOn('CONSOLE');
  /** Where the service may connect on behalf of callers. */
  readonly outbound = {
    /** Networks in CIDR notation that are allowed in addition to public ones. */
    allow: this.value('OUTBOUND_ALLOW', '', NETWORK_LIST),
    /** `address` or `address:port`; if empty, the system's name servers are used. */
    dnsServers: this.value('DNS_SERVERS', '', NAME_SERVER_LIST),
  };
  /** The operator's accounts at the services that channels send through. URLs have no trailing slash. */
  readonly channels = {
    smtp: this.readSmtp(),
    telegramApiUrl: this.value('TELEGRAM_API_URL', 'https://api.telegram.org', PUBLIC_URL),
    twilioApiUrl: this.value('TWILIO_API_URL', 'https://api.twilio.com', PUBLIC_URL),
    /** Language spoken in calls. */
    twilioCallLanguage: this.value('TWILIO_CALL_LANGUAGE', 'en-US', LANGUAGE),
    twilio: this.readTwilio(),
  };
  readonly deliveries = {
    /** Milliseconds to wait before each retry. A delivery gets one more attempt than there are waits. */
    waitsMs: this.value('DELIVERY_WAITS', '5,30,120,600,1800,7200,21600,43200', DELIVERY_WAITS),
    /** Maximum random deviation from a wait, as a fraction of it. */
    jitter: 0.1,
    /** Concurrent attempts in this process; 0: none, except handler tests. */
    concurrency: this.integer('DELIVERY_CONCURRENCY', 256, 0, 1_000),
    /** Deliveries per account per UTC day, by handler type; a type that is missing is unlimited. */
    dailyLimits: this.value('DELIVERY_DAILY_LIMIT', 'email=1000,twilio=200,twilio_call=50,whatsapp=200', DAILY_LIMITS),
    /** Days for which finished deliveries are kept. */
    keepDays: this.integer('DELIVERY_KEEP_DAYS', 30, 1, 36_500),
  };
  /** Days for which the feed shows an event. */
  readonly eventsKeepDays = this.integer('EVENTS_KEEP_DAYS', 30, 1, 36_500);
  readonly domains = {
    /** Whether this process verifies domains in the background. */
    checks: this.isOn('DOMAIN_CHECKS'),
    /** Per account; undefined: unlimited. */
    max: this.optionalInteger('MAX_DOMAINS', 1, MAX_COUNT),
  };
  /** Notification handlers per account; undefined: unlimited. */
  readonly maxHandlers = this.optionalInteger('MAX_HANDLERS', 1, MAX_COUNT);
  readonly edge = {
    /** Undefined: no edge. */
    port: this.optionalInteger('EDGE_PORT', 1, MAX_PORT),
    host: this.text('EDGE_HOST', '127.0.0.1'),
    /** Undefined: the target is not checked. */
    target: this.optional('EDGE_TARGET', EDGE_TARGET),
  };

  /** @throws ConfigError naming every invalid variable */
  constructor(env: Record<string, string | undefined>) {
    super(env);
    this.refuseSharedPorts();
    if (this.problems.length > 0) throw new ConfigError(this.problems.join('\n'));
  }

  private readWorkers(): number {
    const workers = this.value('WORKERS', '1', WORKERS);
    if (this.database?.type === 'sqlite' && workers > 1) {
      this.problems.push('WORKERS must be 1 on SQLite, which supports only one service process. For more workers, use MySQL.');
    }
    return workers;
  }

  private readSecretsKeys(): readonly Buffer[] {
    const keys = this.secret('SECRETS_KEY', '', SECRETS_KEY_LIST);
    if (this.database?.type === 'mysql' && keys?.length === 0) {
      this.problems.push('SECRETS_KEY is required on MySQL: set it to the output of `openssl rand -base64 32`, and keep it.');
    }
    return keys;
  }

  private readSmtp(): SmtpAccount | undefined {
    const server = this.optionalSecret('SMTP_URL', SMTP_URL);
    const from = this.optional('MAIL_FROM', MAIL_FROM);
    const ehloName = this.optional('SMTP_EHLO_NAME', EHLO_NAME);
    this.requireAll(['SMTP_URL', 'MAIL_FROM'], ['SMTP_EHLO_NAME']);
    return server && from ? { ...server, from, ehloName: ehloName ?? defaultEhloName(this.publicUrl, from) } : undefined;
  }

  private readTwilio(): TwilioAccount | undefined {
    const sid = this.optional('TWILIO_ACCOUNT_SID', TWILIO_SID);
    const token = this.optionalSecret('TWILIO_AUTH_TOKEN', TWILIO_TOKEN);
    const [from, messagingServiceSid, whatsappFrom, whatsappContentSid] = TWILIO_SENDERS.map((name) => this.text(name) || undefined);
    const whatsappMax = this.integer('TWILIO_WHATSAPP_MAX', 900, 100, 1_600);
    const statusCallback = this.readStatusCallback();
    const keyCallback = this.publicUrl?.startsWith('https:') ? `${this.publicUrl}/callbacks/twilio` : undefined;
    this.requireAll(
      ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN'],
      [...TWILIO_SENDERS, 'TWILIO_WHATSAPP_MAX', 'TWILIO_CALL_LANGUAGE', ...(statusCallback ? ['TWILIO_STATUS'] : [])],
    );
    return sid && token
      ? { sid, token, from, messagingServiceSid, whatsappFrom, whatsappContentSid, whatsappMax, statusCallback, keyCallback }
      : undefined;
  }

  private readStatusCallback(): string | undefined {
    if (!this.isOn('TWILIO_STATUS', 'off')) return undefined;
    if (this.publicUrl?.startsWith('http:'))
      this.problems.push('PUBLIC_URL must begin with https:// to use TWILIO_STATUS: Twilio posts status callbacks to it.');
    return `${this.publicUrl}/callbacks/twilio`;
  }

  private refuseSharedPorts(): void {
    const { port, host, metricsPort, metricsHost, edge } = this;
    const mayShare = host !== metricsHost && ![host, metricsHost].some((address) => ['0.0.0.0', '::'].includes(address));
    if (metricsPort && metricsPort === port && !mayShare) this.problems.push('METRICS_PORT must differ from PORT.');
    if (edge.port && edge.port === port) this.problems.push('EDGE_PORT must differ from PORT.');
    else if (edge.port && edge.port === metricsPort) this.problems.push('EDGE_PORT must differ from METRICS_PORT.');
  }
}

/** Names of the variables that disable a part of the service. Never their values, which may be secret. */
export function disablingVariables({ migrations, demo, console, metricsPort, edge, domains, deliveries, channels }: Config): string[] {
  const off = {
    MIGRATIONS: migrations === 'manual',
    DEMO: !demo,
    CONSOLE: !console,
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
