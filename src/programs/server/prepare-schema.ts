import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Config } from '../../platform/config/config';
import { Dialect } from '../../platform/database/dialect';
import { Migrations } from '../../platform/database/migrations';

/** Brings the schema up to date, or checks that it is. @throws ConfigError, also for an unsuitable server */
export async function prepareSchema(
  app: INestApplicationContext,
  { migrations }: Config,
  wrap?: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<void> {
  await app.get(Dialect).checkServer(app.get(DataSource));
  await app.get(Migrations).prepare(migrations, wrap);
}
