import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { audit } from './audit';
import { operatorContext } from '../../common/write-context';
import { WriteExecutor } from '../writes/write-executor';
import { Dialect, type Statements } from '../dialect';

/** Rows looked at in one transaction, so that no lock is held for long. */
const BATCH = 5_000;
/** After each deletion: on SQLite, a writer that waits for the lock asks for it every 20 ms. */
const PAUSE_MILLISECONDS = 30;
const LAST_OF_BATCH = `SELECT MAX(id) FROM (SELECT id FROM audit WHERE id > ? AND id <= ? ORDER BY id LIMIT ${BATCH}) batch`;
const DELETE = 'DELETE FROM audit WHERE id > ? AND id <= ? AND datetime < ?';
/** No account has this id: the audit is every account's. */
const ALL_ACCOUNTS = operatorContext(0);

/** Shortens the audit while the service runs. An interrupted run keeps what it did, and the next one goes on from there. */
@Injectable()
export class AuditPruning {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
  ) {}

  /** Deletes what is older than a time, leaves an entry that says so, and returns how many rows are gone. */
  async run(before: string): Promise<number> {
    const [[newest]] = await this.dialect.read('SELECT MAX(id) FROM audit', []);
    let [pruned, last] = [0, 0];
    for (;;) {
      const [[end]] = await this.dialect.read(LAST_OF_BATCH, [last, newest ?? 0]);
      if (end === null) return pruned;
      const [start, isFirst] = [last, pruned === 0];
      const deleted = await this.executor.runWithRetries((statements) =>
        this.deleteBatch(statements, [start, Number(end), before], isFirst),
      );
      pruned += deleted;
      last = Number(end);
      if (deleted > 0) await sleep(PAUSE_MILLISECONDS);
    }
  }

  private async deleteBatch(statements: Statements, range: [number, number, string], isFirst: boolean): Promise<number> {
    const { affected } = await statements.write(DELETE, range);
    if (affected > 0 && isFirst) await audit(statements, ALL_ACCOUNTS, { action: 'prune', record: 'audit', recordId: null });
    return affected;
  }
}
