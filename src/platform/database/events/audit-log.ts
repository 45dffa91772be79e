import { Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere, MoreThanOrEqual } from 'typeorm';
import { operatorContext } from '../../common/write-context';
import { Dialect, type Values } from '../dialect';
import { WriteExecutor, yieldToWriters } from '../writes/transactions';
import { audit } from './audit';
import type { Event } from './event.entity';
import { EventNumbers } from './event-numbers';
import { EventRetention } from './event-retention';

/** Rows scanned per transaction, to keep locks short. */
const BATCH = 5_000;
const BATCH_END = `SELECT MAX(id) FROM (SELECT id FROM audit WHERE id > ? AND id <= ? ORDER BY id LIMIT ${BATCH}) batch`;
const DELETE = 'DELETE FROM audit WHERE id > ? AND id <= ? AND datetime < ? AND datetime < ? AND number <= ?';

interface AuditQuery {
  accountId?: number;
  /** A prefix of `YYYY-MM-DD HH:MM:SS`. */
  since?: string;
  max: number;
}

/** Reads and prunes the audit for the operator's commands. */
@Injectable()
export class AuditLog {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly numbers: EventNumbers,
    private readonly retention: EventRetention,
  ) {}

  /** The newest entries, in chronological order. */
  async find({ accountId, since, max }: AuditQuery): Promise<Event[]> {
    await this.numbers.number();
    const where: FindOptionsWhere<Event> = { is_audited: true };
    if (accountId !== undefined) where.account_id = accountId;
    if (since !== undefined) where.datetime = MoreThanOrEqual(since);
    const entries = await this.dataSource.getRepository<Event>('audit').find({ where, order: { number: 'DESC', id: 'DESC' }, take: max });
    return entries.map((entry) => ({ ...entry, id: Number(entry.id) })).reverse(); // mysql2 returns a bigint as a string
  }

  /**
   * Deletes entries older than a time while the service runs, records the deletion, and returns the number deleted. Keeps what the feed or
   * a handler may still need. After an interruption, run it again.
   */
  async prune(before: string): Promise<number> {
    const { before: tooOld, dispatched } = await this.retention.expire();
    const [[newest]] = await this.dialect.read<[number | null]>('SELECT MAX(id) FROM audit', []);
    let pruned = 0;
    for (let start = 0; ;) {
      const [[end]] = await this.dialect.read<[number | null]>(BATCH_END, [start, newest ?? 0]);
      if (end === null) return pruned;
      const deleted = await this.deleteBatch([start, end, before, tooOld, dispatched], pruned === 0);
      pruned += deleted;
      start = end;
      if (deleted > 0) await yieldToWriters();
    }
  }

  private deleteBatch(values: Values, isFirst: boolean): Promise<number> {
    return this.executor.run(async (statements) => {
      const { affected } = await statements.write(DELETE, values);
      if (affected > 0 && isFirst) await audit(statements, operatorContext(0), { action: 'prune', record: 'audit', recordId: null });
      return affected;
    });
  }
}
