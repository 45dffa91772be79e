import { Injectable } from '@nestjs/common';
import { DataSource, type MigrationInterface, QueryFailedError, type QueryRunner } from 'typeorm';
import { ConfigError } from '../config/config';
import { Dialect } from './dialect';

/** The revert would lose data: the operator must confirm with --drop-data. */
class RevertRefused extends Error {}

type Wrapper = <T>(work: () => Promise<T>) => Promise<T>;

const MAX_SHOWN_SQL = 200;

/** Runs and reverts migrations, one process at a time. */
@Injectable()
export class Migrations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {}

  /** In `manual` mode, only checks that the schema is up to date. @throws ConfigError */
  async prepare(mode: 'auto' | 'manual', wrap?: Wrapper): Promise<void> {
    if (mode === 'auto') await this.run(wrap);
    else if (await this.dataSource.showMigrations())
      throw new ConfigError('The schema is not up to date. Run: npm run -s frontdesk -- migrate');
  }

  /** Runs pending migrations, if any, inside `wrap` and returns their names. @throws ConfigError */
  run(wrap: Wrapper = (work) => work()): Promise<string[]> {
    const running = this.dialect.withMigrationLock(this.dataSource, async (executor) => {
      const pending = await executor.getPendingMigrations();
      if (pending.length > 0) await wrap(() => executor.executePendingMigrations());
      return pending.map(({ name }) => name);
    });
    return running.catch(fail);
  }

  /** Reverts the newest migration and returns its name; undefined if there is none. @throws RevertRefused */
  revert(mayDropData = false): Promise<string | undefined> {
    return this.dialect.withMigrationLock(this.dataSource, async (executor) => {
      const [newest] = await executor.getExecutedMigrations();
      if (newest && !mayDropData) await this.refuseLosses(newest.name);
      await executor.undoLastMigration();
      return newest?.name;
    });
  }

  private async refuseLosses(name: string): Promise<void> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const migration = this.dataSource.migrations.find((candidate) => (candidate.name ?? candidate.constructor.name) === name);
      const losses = migration && (await findLosses(migration, runner).catch(() => undefined));
      const lost = losses ? await describe(losses, migration as Derived, runner) : ['data that a dry run could not determine'];
      if (lost.length > 0)
        throw new RevertRefused(`Reverting ${name} would lose ${lost.join(', ')}. To do it anyway: migrate --revert --drop-data`);
    } finally {
      await runner.release();
    }
  }
}

/** A database or system error, such as a missing privilege, is not a bug. @throws ConfigError */
function fail(error: Error): never {
  if (!(error instanceof QueryFailedError) && !('code' in error)) throw error;
  const statement = error instanceof QueryFailedError ? ` In: ${error.query.slice(0, MAX_SHOWN_SQL)}` : '';
  throw new ConfigError(`The schema can't be brought up to date: ${error.message}${statement}`);
}

/** A migration may name derived data, which is safe to drop: it can be rebuilt, or would expire anyway. */
interface Derived {
  derived?: string[];
}

/** Names the losses with their numbers of rows or values; omits derived data, and empty tables and columns. */
async function describe(losses: Loss[], { derived = [] }: Derived, runner: QueryRunner): Promise<string[]> {
  const described: string[] = [];
  for (const { table, column } of losses) {
    const name = column ? `${table}.${column}` : table;
    if (derived.includes(name)) continue;
    const counted = column ? `${column} IS NOT NULL` : '1 = 1';
    const [{ count }] = (await runner.query(`SELECT COUNT(*) AS count FROM ${table} WHERE ${counted}`)) as { count: number | string }[];
    if (Number(count) > 0) described.push(`${name} (${count} ${column ? 'values' : 'rows'})`);
  }
  return described;
}

/** A table or column whose data is dropped. */
interface Loss {
  table: string;
  column?: string;
}

type Named = string | { name: string };

const READS = /^\s*(SELECT|SHOW|PRAGMA|EXPLAIN)\b/i;
const NAME = '[`"]?(\\w+)[`"]?';
const DROPS_ROWS = new RegExp(`\\b(?:DROP\\s+TABLE(?:\\s+IF\\s+EXISTS)?|TRUNCATE(?:\\s+TABLE)?|DELETE\\s+FROM)\\s+${NAME}`, 'gi');
const DROPS_COLUMN = new RegExp(`\\bALTER\\s+TABLE\\s+${NAME}\\s+DROP\\s+(?:COLUMN\\s+)?${NAME}`, 'gi');

/** Dry-runs a migration's `down`. @throws Error when it does something a dry run can't track */
async function findLosses(migration: MigrationInterface, runner: QueryRunner): Promise<Loss[]> {
  const losses: Loss[] = [];
  await migration.down(dryRunner(runner, losses));
  return losses;
}

/** Reads the schema, and records losses instead of writing. */
function dryRunner(runner: QueryRunner, losses: Loss[]): QueryRunner {
  const record = (...found: Loss[]) => Promise.resolve(void losses.push(...found));
  const recordTable = (table: Named) => record({ table: nameOf(table) });
  const recordColumns = (table: Named, columns: Named | Named[]) =>
    record(...[columns].flat().map((column) => ({ table: nameOf(table), column: nameOf(column) })));
  const overrides: Record<string, (...given: never[]) => Promise<unknown>> = {
    dropTable: recordTable,
    clearTable: recordTable,
    dropColumn: recordColumns,
    dropColumns: recordColumns,
    query: (sql: string, ...rest: unknown[]) => (READS.test(sql) ? runner.query(sql, ...(rest as [])) : record(...lossesOf(sql))),
  };
  return new Proxy(runner, {
    get: (target, name: string) => {
      if (Object.hasOwn(overrides, name)) return overrides[name];
      if (name === 'manager') throw new Error('An entity manager has no dry run.');
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return /^(get|has)[A-Z]/.test(name) ? value.bind(target) : () => Promise.resolve();
    },
  });
}

function nameOf(named: Named): string {
  return typeof named === 'string' ? named : named.name;
}

function lossesOf(sql: string): Loss[] {
  return [...sql.matchAll(DROPS_ROWS), ...sql.matchAll(DROPS_COLUMN)].map(([, table, column]) => ({ table, column }));
}

/** The statements with which TypeORM would make the tables match the entities: none if the migrations are complete. For tests. */
export async function schemaDrift(dataSource: DataSource): Promise<string[]> {
  const options = dataSource.driver.options as { type: string };
  const { type } = options;
  // MariaDB reports the default of a nullable column as 'NULL', which TypeORM takes for a text unless the type is 'mariadb'.
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
