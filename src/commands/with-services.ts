import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import { readConfig } from '../config/config';
import { Migrations } from '../database/migrations';

interface Options {
  /** The command cares for the schema itself. */
  keepSchema?: boolean;
}

/** Gives a command the services of the application, without its server, and closes the connection after it. */
export async function withServices(
  work: (app: INestApplicationContext) => Promise<void>,
  { keepSchema = false }: Options = {},
): Promise<void> {
  const config = readConfig();
  const app = await NestFactory.createApplicationContext(AppModule.with(config), { logger: false, abortOnError: false });
  try {
    if (!keepSchema) await app.get(Migrations).prepare(config.migrations);
    await work(app);
  } finally {
    await app.close();
  }
}
