import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication, type ApplicationOptions } from '../server/application';
import { Clock } from '../../platform/common/clock';
import { Network } from '../../platform/common/network';
import { Config, ConfigError } from '../../platform/config/config';
import type { Extension } from '../../platform/extensions/extension';
import { Recorder } from './recorder';
import { Sandbox, SandboxClock } from './sandbox';
import { createDatabase } from './sandbox-database';
import { describeRoutes, SandboxModule } from './sandbox.module';

type Token = Type | (abstract new (...given: never[]) => unknown) | string | symbol;

/** Replaces a provider, like `overrideProvider` of @nestjs/testing. */
export type Override = { provide: Token } & ({ useValue: unknown } | { useClass: Type } | { useFactory: () => unknown });

export interface SandboxOptions {
  /** As in EXTENSIONS, or what `defineExtension()` returned. */
  extensions?: readonly (string | Extension)[];
  /** Providers to replace; needs the package @nestjs/testing. */
  overrides?: readonly Override[];
  /** The service's environment variables. Those of the process are ignored. */
  env?: Readonly<Record<string, string>>;
  /** `sqlite`, or `mysql://user:password@host:port`: creates a database there, and drops it at the end. */
  database?: string;
  /** Defaults to any free port. */
  port?: number;
}

/** Made-up accounts for mail and Twilio, so that tests need no real ones. */
const ACCOUNTS = {
  SMTP_URL: 'smtp://mail.sandbox.example',
  MAIL_FROM: 'frontdesk <frontdesk@sandbox.example>',
  TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
  TWILIO_AUTH_TOKEN: '0'.repeat(32),
  TWILIO_FROM: '+15005550006',
  TWILIO_WHATSAPP_FROM: '+15005550006',
};
const HOST = '127.0.0.1';

/**
 * Starts the whole service in this process, with clock, sockets and name servers replaced. Stop it when the tests are done.
 * @throws ConfigError for an invalid `env` or `database`
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { extensions = [], overrides = [], env = {}, database = 'sqlite', port = 0 } = options;
  if (env.DATABASE_URL) throw new ConfigError('DATABASE_URL: a sandbox creates its own database; see the option database.');
  const sandboxDatabase = await createDatabase(database);
  let listener: Server | undefined;
  try {
    listener = await listen(port);
    const url = `http://${HOST}:${(listener.address() as AddressInfo).port}`;
    const names = extensions.filter((each) => typeof each === 'string').join(',');
    const variables = { PUBLIC_URL: url, LOG_LEVEL: 'silent', ...ACCOUNTS, EXTENSIONS: names, ...env };
    const config = new Config({ ...variables, ...sandboxDatabase.env, DEMO: 'off' });
    config.deliveries.jitter = 0;
    const added = [...extensions.filter((each) => typeof each !== 'string'), { name: 'sandbox', modules: [SandboxModule] }];
    const app = await createApplication(config, added, await applicationOptions(overrides));
    await app.listen(listener as unknown as number);
    const sandbox = app.get(Sandbox, { strict: false });
    sandbox.document = () => describeRoutes(app);
    await sandbox.open(app, url, () => sandboxDatabase.drop());
    return sandbox;
  } catch (error) {
    listener?.close();
    await sandboxDatabase.drop();
    throw error;
  }
}

/** Listens before the application is created, because PUBLIC_URL contains the port. */
function listen(port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, HOST, () => resolve(server));
  });
}

async function applicationOptions(overrides: readonly Override[]): Promise<ApplicationOptions> {
  const clock = new SandboxClock();
  const network = new Recorder(clock);
  const options = {
    overrides: [
      { provide: Clock, useValue: clock },
      { provide: Network, useValue: network },
    ],
  };
  return overrides.length > 0 ? { ...options, create: await createWith(overrides) } : options;
}

/** Only overrides need @nestjs/testing. @throws Error when it isn't installed */
async function createWith(overrides: readonly Override[]): Promise<ApplicationOptions['create']> {
  const { Test } = await import('@nestjs/testing').catch((cause: unknown) => {
    throw new Error('overrides need the package @nestjs/testing: npm install --save-dev @nestjs/testing', { cause });
  });
  return async (module, adapter, options) => {
    const builder = Test.createTestingModule({ imports: [module as Type] });
    for (const { provide, ...provider } of overrides) {
      const override = builder.overrideProvider(provide);
      if ('useValue' in provider) override.useValue(provider.useValue);
      else if ('useClass' in provider) override.useClass(provider.useClass);
      else override.useFactory({ factory: provider.useFactory });
    }
    const compiled = await builder.compile();
    return compiled.createNestApplication<NestExpressApplication>(adapter as never, options);
  };
}
