import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ConfigError } from '../config';
import { Dialect } from './dialect';

/** Brings the schema up to date, or takes its newest step back; of processes that do so at once, one works and the others wait. */
@Injectable()
export class Migrations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {}

  /** Before the service or a command works: brings the schema up to date, or only checks that it is. @throws ConfigError */
  async prepare(mode: 'auto' | 'manual'): Promise<void> {
    if (mode === 'auto') await this.run();
    else if (await this.dataSource.showMigrations())
      throw new ConfigError('The schema is not up to date. Run: npm run -s frontdesk -- migrate');
  }

  /** Returns the names of the migrations that were run. */
  async run(): Promise<string[]> {
    let names: string[] = [];
    await this.dialect.withMigrationLock(this.dataSource, async (executor) => {
      const migrations = await executor.executePendingMigrations();
      names = migrations.map(({ name }) => name);
    });
    return names;
  }

  /** Takes back the newest migration that has run; its tables are dropped with what they hold. */
  async revert(): Promise<void> {
    await this.dialect.withMigrationLock(this.dataSource, (executor) => executor.undoLastMigration());
  }
}
