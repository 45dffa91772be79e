import type { DataSourceOptions } from 'typeorm';
import type { Config } from './src/platform/config/config';
import type { Dialect } from './src/platform/database/dialect';
import { MysqlEvent, SqliteEvent } from './src/platform/database/events/event.entity';
import { MysqlDialect } from './src/platform/database/mysql/mysql.dialect';
import { SERVICE_MIGRATIONS } from './src/platform/database/migrations/service-migrations';
import { SqliteDialect } from './src/platform/database/sqlite/sqlite.dialect';
import type { Extensions } from './src/platform/extensions/extensions';

/** The dialect of the database that DATABASE_URL names. */
export function createDialect({ database, databasePoolSize, workers }: Config): Dialect {
  return database.type === 'sqlite' ? new SqliteDialect(database.file) : new MysqlDialect(database.server, databasePoolSize, workers);
}

/** The one data source of the server, the command line and the tests. Each module adds its entities with `TypeOrmModule.forFeature`. */
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
