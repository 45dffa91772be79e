import { DataSource, type DataSourceOptions } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import type { SqliteConnections } from './connections';
import { SqliteQueryRunner } from './query-runner';

/** A data source whose query runners keep apart, as those of a pool do. */
export class SqliteDataSource extends DataSource {
  constructor(
    options: DataSourceOptions,
    private readonly connections: SqliteConnections,
  ) {
    super(options);
    const driver = this.driver as BetterSqlite3Driver;
    driver.createQueryRunner = () => new SqliteQueryRunner(driver, connections.writer);
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    this.connections.close();
  }
}
