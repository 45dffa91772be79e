import { Injectable } from '@nestjs/common';
import { DataSource, type Migration, MigrationExecutor, type MigrationInterface, QueryFailedError } from 'typeorm';
import { version } from '../../../package.json';
import { ConfigError } from '../config/config';
import { Dialect } from './dialect';
import { InitialSchema1795200050600 } from './migrations/initial-schema';

type Wrapper = <T>(work: () => Promise<T>) => Promise<T>;

const MAX_SQL_IN_ERROR = 200;
/** Recorded as a migration in a database while records are being moved into it from another database. */
export const UNFINISHED_MOVE = 'UnfinishedMove';
/** End of the name of a migration that breaks versions before the one it names: `DropColours_Since1_2_1890000000000`. */
const SINCE_SUFFIX = /_Since(\d+)_(\d+)_\d{13}$/;

/** Runs migrations, one process at a time. */
@Injectable()
export class Migrations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {}

  /** In `manual` mode, only checks that the schema is up to date. @throws ConfigError */
  async prepare(mode: 'auto' | 'manual', wrap?: Wrapper): Promise<void> {
    if (mode === 'auto') await this.run(wrap);
    else if ((await findPending(this.dataSource, new MigrationExecutor(this.dataSource))).length > 0)
      throw new ConfigError('The schema is not up to date. Run: npm run -s frontdesk -- migrate');
  }

  /** Runs pending migrations, if any, inside `wrap` and returns their names. @throws ConfigError */
  run(wrap: Wrapper = (work) => work(), isMove = false): Promise<string[]> {
    const running = this.dialect.withMigrationLock(this.dataSource, async (executor) => {
      const pending = await findPending(this.dataSource, executor, isMove);
      if (pending.length > 0) await wrap(() => executor.executePendingMigrations());
      return pending.map(({ name }) => name);
    });
    return running.catch(throwSchemaError);
  }

  /** Makes services and commands refuse this database until `endMove`. */
  async beginMove(): Promise<void> {
    await this.dataSource.query(`INSERT INTO migrations (timestamp, name) VALUES (0, '${UNFINISHED_MOVE}')`);
  }

  async endMove(): Promise<void> {
    await this.dataSource.query(`DELETE FROM migrations WHERE name = '${UNFINISHED_MOVE}'`);
  }
}

/** @throws ConfigError for a database from before 1.0.0, from a version that is too new, or left by an unfinished move */
async function findPending(dataSource: DataSource, executor: MigrationExecutor, isMove = false): Promise<Migration[]> {
  const [executed, pending] = [await executor.getExecutedMigrations(), await executor.getPendingMigrations()];
  if (!isMove && executed.some(({ name }) => name === UNFINISHED_MOVE))
    throw new ConfigError(
      'This database is a trial copy, or a move into it has not finished: run `frontdesk move` again, or use another database.',
    );
  if (executed.length > 0 && pending.some(({ name }) => name === InitialSchema1795200050600.name))
    throw new ConfigError(
      'The database was made by a commit before 1.0.0, which cannot be upgraded: export its records with that commit, start with an empty database, and import them.',
    );
  requireKnown(executed, dataSource.migrations);
  return pending;
}

/**
 * Most unknown migrations are harmless: those of the next minor version only add what this one ignores, so that a downgrade is possible, and
 * those of an extension remain after it is removed. Any other migration names the oldest version that can run after it.
 * @throws ConfigError
 */
function requireKnown(executed: Migration[], known: MigrationInterface[]): void {
  const names = new Set(known.map((migration) => migration.name ?? migration.constructor.name));
  for (const { name } of executed) {
    const since = SINCE_SUFFIX.exec(name);
    if (since && !names.has(name) && isBefore(version, since.slice(1).map(Number)))
      throw new ConfigError(
        `The database was migrated by a newer version (its migration ${name} is unknown here): start that version, or restore a backup from before it.`,
      );
  }
}

function isBefore(ownVersion: string, [major, minor]: number[]): boolean {
  const parts = ownVersion.split('.').map(Number);
  return parts[0] < major || (parts[0] === major && parts[1] < minor);
}

/** @throws ConfigError for a database or system error, such as a missing privilege; rethrows any other error, which is a bug */
function throwSchemaError(error: Error): never {
  if (!(error instanceof QueryFailedError) && !('code' in error)) throw error;
  const statement = error instanceof QueryFailedError ? ` In: ${error.query.slice(0, MAX_SQL_IN_ERROR)}` : '';
  throw new ConfigError(`The schema can't be brought up to date: ${error.message}${statement}`);
}

/** The statements that TypeORM would run to make the tables match the entities; none if the migrations are complete. For tests. */
export async function schemaDrift(dataSource: DataSource): Promise<string[]> {
  const options = dataSource.driver.options as { type: string };
  const { type } = options;
  // MariaDB reports the default of a nullable column as 'NULL', which TypeORM takes for a string unless the type is 'mariadb'.
  if (type === 'mysql' && (await isMariadb(dataSource))) options.type = 'mariadb';
  try {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query);
  } finally {
    options.type = type;
  }
}

async function isMariadb(dataSource: DataSource): Promise<boolean> {
  const [{ version }] = await dataSource.query<[{ version: string }]>('SELECT VERSION() AS version');
  return version.includes('MariaDB');
}
