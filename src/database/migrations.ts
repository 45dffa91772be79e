import { Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError, type QueryRunner } from 'typeorm';
import { ConfigError } from '../config/config';
import { Dialect } from './dialect';
import { findLosses, type Loss } from './migration-losses';

/** The newest migration is not taken back: what it would lose is for the operator to decide. */
export class RevertRefused extends Error {}

type Around = <T>(work: () => Promise<T>) => Promise<T>;

const SHOWN_LENGTH = 200;

/** Brings the schema up to date, or takes its newest step back; of processes that do so at once, one works and the others wait. */
@Injectable()
export class Migrations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {}

  /** Before the service or a command works: brings the schema up to date, or only checks that it is. @throws ConfigError */
  async prepare(mode: 'auto' | 'manual', around?: Around): Promise<void> {
    if (mode === 'auto') await this.run(around);
    else if (await this.dataSource.showMigrations())
      throw new ConfigError('The schema is not up to date. Run: npm run -s frontdesk -- migrate');
  }

  /** Returns the names of the migrations that were run; `around` is called only when there are any. */
  async run(around: Around = (work) => work()): Promise<string[]> {
    let names: string[] = [];
    await this.dialect
      .withMigrationLock(this.dataSource, async (executor) => {
        if ((await executor.getPendingMigrations()).length === 0) return;
        const migrations = await around(() => executor.executePendingMigrations());
        names = migrations.map(({ name }) => name);
      })
      .catch(refuse);
    return names;
  }

  /** Takes back the newest migration that has run, if there is one, and returns its name. @throws RevertRefused when data would be lost and may not be */
  async revert(mayDropData = false): Promise<string | undefined> {
    let name: string | undefined;
    await this.dialect.withMigrationLock(this.dataSource, async (executor) => {
      const executed = await executor.getExecutedMigrations();
      name = executed[0]?.name;
      if (name && !mayDropData) await this.refuseLosses(name);
      await executor.undoLastMigration();
    });
    return name;
  }

  private async refuseLosses(name: string): Promise<void> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const migration = this.dataSource.migrations.find((candidate) => (candidate.name ?? candidate.constructor.name) === name);
      const losses = migration && (await findLosses(migration, runner).catch(() => undefined));
      const lost = losses ? await this.describe(losses, runner) : ['what only its source tells'];
      if (lost.length > 0)
        throw new RevertRefused(`Taking back ${name} would lose ${lost.join(', ')}. To lose that: migrate --revert --drop-data`);
    } finally {
      await runner.release();
    }
  }

  /** A loss in an empty table is none. */
  private async describe(losses: Loss[], runner: QueryRunner): Promise<string[]> {
    const described: string[] = [];
    for (const { table, column } of losses) {
      const counted = column ? `${column} IS NOT NULL` : '1 = 1';
      const [{ count }] = (await runner.query(`SELECT COUNT(*) AS count FROM ${table} WHERE ${counted}`)) as { count: number | string }[];
      if (Number(count) > 0) described.push(column ? `${table}.${column} (${count} values)` : `${table} (${count} rows)`);
    }
    return described;
  }
}

/** Not a fault of this program when the database refuses a statement: of an account without a right to it, say. @throws ConfigError */
function refuse(error: Error): never {
  if (!(error instanceof QueryFailedError) && !('code' in error)) throw error;
  const statement = error instanceof QueryFailedError ? ` In: ${error.query.slice(0, SHOWN_LENGTH)}` : '';
  throw new ConfigError(`The schema can't be brought up to date: ${error.message}${statement}`);
}
