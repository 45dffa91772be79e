import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import { readConfig } from '../config/config';
import { Migrations } from '../database/migrations';

interface Options {
  /** For commands that run without migrating first. */
  keepSchema?: boolean;
}

/** Wraps a function as a commander action, with the application's services but no HTTP server. */
export function withServices<Arguments extends unknown[]>(
  run: (app: INestApplicationContext, ...args: Arguments) => Promise<void>,
  { keepSchema = false }: Options = {},
) {
  return async (...args: Arguments): Promise<void> => {
    const config = readConfig();
    const app = await NestFactory.createApplicationContext(AppModule.with(config), { logger: false, abortOnError: false });
    try {
      if (!keepSchema) await app.get(Migrations).prepare(config.migrations);
      await run(app, ...args);
    } finally {
      await app.close();
    }
  };
}
