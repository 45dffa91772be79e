import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { DAY_MS, HOUR_MS } from '../../common/time';
import { Dialect, type SqlExecutor } from '../../database/dialect';
import { inList } from '../../database/value-lists';
import { WriteExecutor, yieldToWriters } from '../../database/writes/transactions';
import { Job } from '../../jobs/job.decorator';

/** Changes numbered or deleted at once, to keep locks short. */
const BATCH = 500;
const KEEP_MS = DAY_MS;
/** A reader that has been away for longer starts over, well before changes that it hasn't read are deleted. */
export const MAX_GAP_MS = KEEP_MS / 2;
const NOTE = 'INSERT INTO domain_changes (host, created) SELECT host, ? FROM domain_verifications WHERE';
const FIND_OLD = `SELECT id FROM domain_changes WHERE created < ? ORDER BY created LIMIT ${BATCH}`;
const READ_POSITION =
  'SELECT COALESCE(MAX(last), 0), EXISTS (SELECT 1 FROM domain_changes WHERE sequence IS NULL) FROM domain_change_sequences';

/**
 * What has changed about live domains, in an order that misses none: ids are given before the commit, so that a reader of ascending
 * ids would miss a transaction that takes longer than a later one. These are numbered after their commit, one batch at a time.
 */
@Injectable()
export class DomainChanges {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Notes the verified ones among these verifications, whose rows the transaction has locked. */
  async noteVerifications(statements: SqlExecutor, ids: readonly number[]): Promise<void> {
    const { sql, values } = inList(ids);
    await statements.write(`${NOTE} status = 'verified' AND id IN ${sql}`, [this.clock.now(), ...values]);
  }

  /**
   * Notes that a domain changes, before or after it does, in the same transaction. Locks its verification, so that no check verifies it
   * between this and the change; whoever reads changes finds out whether the domain is live.
   */
  async note(statements: SqlExecutor, domainId: number): Promise<void> {
    await statements.write(`${NOTE} domain_id = ?${this.dialect.forUpdate}`, [this.clock.now(), domainId]);
  }

  /** Numbers what is committed, and returns the last number. Ends under a constant flow of changes, too. */
  async number(): Promise<number> {
    const [[last, hasMore]] = await this.dialect.read(READ_POSITION, []);
    if (!hasMore) return Number(last);
    for (;;) {
      const batch = await this.executor.runWithRetries((statements) => this.numberBatch(statements));
      if (batch.size < BATCH) return batch.last;
    }
  }

  /** Deletes changes that are more than a day old. */
  @Job({ name: 'domain-changes', everyMs: HOUR_MS })
  async prune(signal: AbortSignal): Promise<void> {
    const before = this.clock.now() - KEEP_MS;
    for (let found = BATCH; found === BATCH;) {
      signal.throwIfAborted();
      const ids = (await this.dialect.read(FIND_OLD, [before])).map(([id]) => Number(id));
      found = ids.length;
      if (found === 0) return;
      const { sql, values } = inList(ids);
      await this.executor.runWithRetries((statements) => statements.write(`DELETE FROM domain_changes WHERE id IN ${sql}`, values));
      await yieldToWriters();
    }
  }

  /** One number for the whole batch. The lock makes the numbers' order that of the commits. */
  private async numberBatch(statements: SqlExecutor): Promise<{ last: number; size: number }> {
    const locks = `INSERT INTO domain_change_sequences (id, last) VALUES (1, 0) ${this.dialect.upsertPrefix('id')} last = last + 0`;
    await statements.write(locks, []);
    const [[last]] = await statements.read('SELECT last FROM domain_change_sequences WHERE id = 1', []);
    const rows = await statements.read(`SELECT id FROM domain_changes WHERE sequence IS NULL LIMIT ${BATCH}`, []); // not those uncommitted
    if (rows.length === 0) return { last: Number(last), size: 0 };
    const sequence = Number(last) + 1;
    const { sql, values } = inList(rows.map(([id]) => Number(id)));
    await statements.write(`UPDATE domain_changes SET sequence = ? WHERE id IN ${sql}`, [sequence, ...values]);
    await statements.write('UPDATE domain_change_sequences SET last = ? WHERE id = 1', [sequence]);
    return { last: sequence, size: rows.length };
  }
}
