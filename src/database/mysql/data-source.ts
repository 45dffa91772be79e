import type { PoolConnection } from 'mysql2';
import { DataSource, type QueryRunner, type ReplicationMode } from 'typeorm';

/** Destroys the connection of a query runner released in a transaction: the pool's next user would write in that transaction. */
export class MysqlDataSource extends DataSource {
  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    const runner = super.createQueryRunner(mode);
    const release = runner.release.bind(runner);
    runner.release = async () => {
      if (runner.isTransactionActive) await runner.connect().then(destroy, () => undefined); // there may be no connection
      await release();
    };
    return runner;
  }
}

function destroy(connection: PoolConnection): void {
  connection.destroy();
}
