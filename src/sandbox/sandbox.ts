import type { Server } from 'node:http';
import { type AddressInfo, createServer, type Server as Listener } from 'node:net';
import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../bootstrap/application';
import { Clock } from '../common/clock';
import { Network } from '../common/network';
import { Config, ConfigError } from '../config/config';
import type { Extension } from '../extensions/extension';
import type { AnswerRule } from './answers';
import type { DnsAnswer } from './names';
import { createWith, type Override } from './overrides';
import { Recorder, type Sent, type SentFilter } from './recorder';
import type { AccountOptions, SandboxAccount } from './sandbox-accounts';
import { createDatabase, type SandboxDatabase } from './sandbox-database';
import { SandboxModule } from './sandbox.module';
import { SandboxClock, Steering } from './steering';

export interface SandboxOptions {
  /** As in EXTENSIONS, or what `defineExtension()` returned. */
  extensions?: readonly (string | Extension)[];
  /** Providers to replace; needs the package @nestjs/testing. */
  overrides?: readonly Override[];
  /** Variables of the service. None is read from the process. */
  env?: Readonly<Record<string, string>>;
  /** `sqlite`, or `mysql://user:password@host:port`: a database of its own is created there, and dropped in the end. */
  database?: string;
  /** By default, any free one. */
  port?: number;
}

/** The operator's accounts at the services that messages go through: no test needs its own. */
const ACCOUNTS = {
  SMTP_URL: 'smtp://mail.sandbox.example',
  MAIL_FROM: 'frontdesk <frontdesk@sandbox.example>',
  TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
  TWILIO_AUTH_TOKEN: '0'.repeat(32),
  TWILIO_FROM: '+15005550006',
  TWILIO_WHATSAPP_FROM: '+15005550006',
};
const HOST = '127.0.0.1';

/** The whole service in this process, with the world outside replaced: clock, sockets and name servers. */
export class Sandbox {
  private readonly steering = this.get(Steering);

  private constructor(
    private readonly app: NestExpressApplication,
    private readonly recorder: Recorder,
    private readonly database: SandboxDatabase,
    /** Such as `http://127.0.0.1:49152`. */
    readonly url: string,
    /** Of the account `sandbox`, with all scopes. */
    readonly key: string,
  ) {}

  /** @throws ConfigError for an invalid `env` or `database` */
  static async start({ extensions = [], overrides = [], env = {}, database = 'sqlite', port = 0 }: SandboxOptions): Promise<Sandbox> {
    const names = extensions.filter((each) => typeof each === 'string');
    const added = extensions.filter((each) => typeof each !== 'string');
    const own = await createDatabase(database);
    let held: Listener | undefined;
    try {
      held = await holdPort(port);
      const url = `http://${HOST}:${(held.address() as AddressInfo).port}`;
      if (env.DATABASE_URL) throw new ConfigError('DATABASE_URL: a sandbox makes its own database; see the option database.');
      const given = { PUBLIC_URL: url, LOG_LEVEL: 'silent', ...ACCOUNTS, EXTENSIONS: names.join(','), ...env };
      const config = new Config({ ...given, ...own.env, DEMO: 'off' });
      config.deliveries.jitter = 0;
      const clock = new SandboxClock();
      const recorder = new Recorder(clock);
      const world = [
        { provide: Clock, useValue: clock },
        { provide: Network, useValue: recorder },
      ];
      const sandbox: Extension = { name: 'sandbox', modules: [SandboxModule] };
      const create = overrides.length > 0 ? await createWith(overrides) : undefined;
      const app = await createApplication(config, [...added, sandbox], { world, create });
      await app.listen(held as unknown as number);
      const { key } = await app.get(Steering, { strict: false }).account({ name: 'sandbox' });
      const started = new Sandbox(app, recorder, own, url, key);
      await started.settle();
      return started;
    } catch (error) {
      held?.close();
      await own.drop();
      throw error;
    }
  }

  get httpServer(): Server {
    return this.app.getHttpServer();
  }

  get now(): Date {
    return this.steering.now;
  }

  /** A new account and its key, in milliseconds: one for each test, so that tests run side by side. */
  account(options?: AccountOptions): Promise<SandboxAccount> {
    return this.steering.account(options);
  }

  /** What was sent, oldest first. */
  sent(filter?: SentFilter): Sent[] {
    return this.steering.sent(filter);
  }

  /** How receivers answer; the most specific rule applies, of two alike the newer. */
  answer(rule: AnswerRule): void {
    this.steering.answer(rule);
  }

  /** What name servers answer. */
  dns(name: string, answer: DnsAnswer): void {
    this.steering.dns(name, answer);
  }

  /** Moves the clock on by `90s`, `15m`, `21h` or `7d`; what becomes due on the way happens in its order. Returns the new time. */
  advance(duration: string): Promise<Date> {
    return this.steering.advance(duration);
  }

  /** Resolves once nothing is due or at work, of one account or of all. */
  settle(account?: Pick<SandboxAccount, 'id'>): Promise<void> {
    return this.steering.settle(account?.id);
  }

  /** Forgets everything but the first account and its key. The clock stays. */
  reset(): Promise<void> {
    return this.steering.reset();
  }

  /** A provider of the application. */
  get<T>(token: Type<T> | (abstract new (...given: never[]) => T) | string | symbol): T {
    return this.app.get<T>(token, { strict: false });
  }

  async stop(): Promise<void> {
    this.httpServer.closeAllConnections();
    this.recorder.close();
    await this.app.close();
    await this.database.drop();
  }
}

/** Listens at once, so that the links of PUBLIC_URL are known before the application starts. */
function holdPort(port: number): Promise<Listener> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, HOST, () => resolve(server));
  });
}
