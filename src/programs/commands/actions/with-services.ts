import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { AccountsService } from '../../../auth/accounts/accounts.service';
import type { Config } from '../../../platform/config/config';
import { readConfig } from '../../../platform/config/read-config';
import { CoreModule } from '../../../platform/core.module';
import { DatabaseModule } from '../../../platform/database/database.module';
import { requireOwnership, requireWritableDatabase } from '../../../platform/database/sqlite/file-access';
import { Extensions } from '../../../platform/extensions/extensions';
import { loadExtensions } from '../../../platform/extensions/load-extension';
import { SecretsModule } from '../../../platform/secrets/secrets.module';
import { prepareSchema } from '../../server/prepare-schema';
import { printNotice } from './output';

interface ServicesOptions {
  /** Neither migrates nor checks the schema first. */
  keepSchema?: boolean;
  /** Modules that suffice, unless there are extensions. They must not have lifecycle hooks. Default: the whole application. */
  modules?: Type[];
}

const OPTIONS = { logger: false, abortOnError: false } as const;

/**
 * Wraps a function as a commander action, with the application's services. The whole application is never initialized: lifecycle hooks,
 * ours and those of extensions, belong to the service.
 */
export function withServices<Arguments extends unknown[]>(
  run: (app: INestApplicationContext, ...args: Arguments) => Promise<void>,
  { keepSchema = false, modules }: ServicesOptions = {},
) {
  return async (...args: Arguments): Promise<void> => {
    const config = readConfig();
    requireOwnership(config);
    requireWritableDatabase(config);
    const newFile = missingDefaultFile(config);
    const isPartEnough = modules && config.extensions.length === 0;
    const app = await (isPartEnough ? createPartialApplication(config, modules) : createFullApplication(config));
    const dataSource = app.get(DataSource);
    try {
      if (!keepSchema) await prepareSchema(app, config);
      if (newFile) printNotice(`There was no database: created ${newFile}`);
      await run(app, ...args);
    } catch (error) {
      await dataSource.destroy().catch(() => undefined); // the first error is the cause
      throw error;
    }
    await dataSource.destroy();
  };
}

/** The default database's file if the command is about to create it, often by running in the wrong working directory. */
function missingDefaultFile({ database }: Config): string | undefined {
  const file = resolve('data/frontdesk.sqlite');
  return database.type === 'sqlite' && database.file === file && !existsSync(file) ? file : undefined;
}

export async function createFullApplication(config: Config): Promise<INestApplicationContext> {
  const { AppModule } = await import('../../../app.module.js');
  const modules = AppModule.forRoot(config, loadExtensions(config.extensions));
  // createApplicationContext() would initialize the application.
  return NestFactory.create(modules, { ...OPTIONS, bodyParser: false });
}

/** Leaves out everything that serves HTTP, which takes longer to load than a command runs. Has secrets, to create a new database's key file. */
function createPartialApplication(config: Config, modules: Type[]): Promise<INestApplicationContext> {
  const imports = [CoreModule.forRoot(config, new Extensions()), DatabaseModule, SecretsModule, ...modules];
  return NestFactory.createApplicationContext({ module: class CommandModule {}, imports }, OPTIONS);
}

/** The id of the account that an operator names. @throws OperatorError when there is none */
export async function findAccountId(app: INestApplicationContext, name: string): Promise<number> {
  return (await app.get(AccountsService).findByName(name)).id;
}
