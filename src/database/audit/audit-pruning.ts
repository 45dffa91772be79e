import { Injectable } from '@nestjs/common';
import { operatorContext } from '../../common/write-context';
import { Dialect } from '../dialect';
import { WriteExecutor, yieldToWriters } from '../writes/transactions';
import { audit } from './audit';

/** Rows scanned per transaction, to keep locks short. */
const BATCH = 5_000;
const BATCH_END = `SELECT MAX(id) FROM (SELECT id FROM audit WHERE id > ? AND id <= ? ORDER BY id LIMIT ${BATCH}) batch`;
const DELETE = 'DELETE FROM audit WHERE id > ? AND id <= ? AND datetime < ?';
const ALL_ACCOUNTS = operatorContext(0);

/** Deletes old audit entries while the service runs. After an interruption, run it again. */
@Injectable()
export class AuditPruning {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
  ) {}

  /** Deletes entries older than a time, records the deletion, and returns the number deleted. */
  async run(before: string): Promise<number> {
    const [[newest]] = await this.dialect.read('SELECT MAX(id) FROM audit', []);
    let pruned = 0;
    for (let start = 0; ;) {
      const [[end]] = await this.dialect.read(BATCH_END, [start, newest ?? 0]);
      if (end === null) return pruned;
      const deleted = await this.deleteBatch([start, Number(end), before], pruned === 0);
      pruned += deleted;
      start = Number(end);
      if (deleted > 0) await yieldToWriters();
    }
  }

  private deleteBatch(range: [number, number, string], isFirst: boolean): Promise<number> {
    return this.executor.runWithRetries(async (statements) => {
      const { affected } = await statements.write(DELETE, range);
      if (affected > 0 && isFirst) await audit(statements, ALL_ACCOUNTS, { action: 'prune', record: 'audit', recordId: null });
      return affected;
    });
  }
}
