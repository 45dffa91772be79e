import { Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError } from 'typeorm';
import { ConfigError } from '../config';
import { Dialect } from './dialect';

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

  /** Takes back the newest migration that has run; its tables are dropped with what they hold. */
  async revert(): Promise<void> {
    await this.dialect.withMigrationLock(this.dataSource, (executor) => executor.undoLastMigration());
  }
}

/** Not a fault of this program when the database refuses a statement: of an account without a right to it, say. @throws ConfigError */
function refuse(error: Error): never {
  if (!(error instanceof QueryFailedError) && !('code' in error)) throw error;
  const statement = error instanceof QueryFailedError ? ` In: ${error.query.slice(0, SHOWN_LENGTH)}` : '';
  throw new ConfigError(`The schema can't be brought up to date: ${error.message}${statement}`);
}
