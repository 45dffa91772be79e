import type { PoolConnection } from 'mysql2';
import { DataSource, type QueryRunner, type ReplicationMode } from 'typeorm';

/**
 * A data source that ends the connection of a query runner that is released with an open transaction: the pool would
 * lend it to the next, and whatever that one writes would be part of the transaction.
 */
export class MysqlDataSource extends DataSource {
  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    const runner = super.createQueryRunner(mode);
    const release = runner.release.bind(runner);
    runner.release = async () => {
      if (runner.isTransactionActive) await runner.connect().then(destroy, () => undefined); // had none
      await release();
    };
    return runner;
  }
}

function destroy(connection: PoolConnection): void {
  connection.destroy();
}
