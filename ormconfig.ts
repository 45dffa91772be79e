import type { DataSourceOptions } from 'typeorm';
import type { Config } from './src/platform/config/config';
import type { Dialect } from './src/platform/database/dialect';
import { MysqlEvent, SqliteEvent } from './src/platform/database/events/event.entity';
import { SERVICE_MIGRATIONS } from './src/platform/database/migrations/service-migrations';
import type { Extensions } from './src/platform/extensions/extensions';

/** The dialect for DATABASE_URL. Imported dynamically, so that the other database's driver is not loaded. */
export async function createDialect({ database, databasePoolSize, workers }: Config): Promise<Dialect> {
  if (database.type === 'sqlite') {
    const { SqliteDialect } = await import('./src/platform/database/sqlite/sqlite.dialect.js');
    return new SqliteDialect(database.file);
  }
  const { MysqlDialect } = await import('./src/platform/database/mysql/mysql.dialect.js');
  return new MysqlDialect(database.server, databasePoolSize, workers);
}

/** Options for the data source of the server, the command line and the tests. Each module adds its entities with `TypeOrmModule.forFeature`. */
export function dataSourceOptions(
  dialect: Dialect,
  { entities, migrations }: Pick<Extensions, 'entities' | 'migrations'>,
): DataSourceOptions {
  const { type } = dialect.dataSourceOptions;
  return {
    ...dialect.dataSourceOptions,
    entities: [...entities, type === 'mysql' ? MysqlEvent : SqliteEvent],
    migrations: [...SERVICE_MIGRATIONS, ...migrations],
    synchronize: false,
    logging: false,
  };
}
