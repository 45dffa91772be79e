import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Dialect, type SqlExecutor } from '../../database/dialect';
import type { RecordHook } from '../../database/records/record-table';
import { inList } from '../../database/value-lists';
import { DomainChanges } from '../changes/domain-changes';

const INSERT = `INSERT INTO domain_verifications (account_id, domain_id, host, status, is_by_operator, begun, looks, due, misses, problems)
  SELECT account_id, id, host, 'pending', 0, ?, 0, ?, 0, '[]' FROM domains WHERE id = ?`;
const DELETE_OF_OTHER_HOST = `DELETE FROM domain_verifications
  WHERE domain_id = ? AND host <> (SELECT host FROM domains WHERE domains.id = domain_verifications.domain_id)`;

/** Per transaction, to keep locks short. */
const BATCH = 500;

/** Keeps verifications in step with their domains, in the same transactions. */
@Injectable()
export class VerificationHooks {
  constructor(
    private readonly changes: DomainChanges,
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {}

  /** After a domain is inserted. */
  readonly afterInsert: RecordHook = async (statements, domainId) => {
    const now = this.clock.now();
    await statements.write(INSERT, [now, now, domainId]);
  };

  /** After an update that leaves the host, and before a deletion. */
  readonly noteChange: RecordHook = (statements, domainId) => this.changes.note(statements, domainId);

  /** After an update that writes the host. Another host has to be verified again. */
  readonly afterHostUpdate: RecordHook = async (statements, domainId) => {
    await this.changes.note(statements, domainId);
    const { affected } = await statements.write(DELETE_OF_OTHER_HOST, [domainId]);
    if (affected > 0) await this.afterInsert(statements, domainId);
  };

  /**
   * While an account is deleted: its hosts are served no longer, nor verified by a check in progress. Ends a batch, and returns
   * whether there may be more.
   */
  async endOfAccount(statements: SqlExecutor, accountId: number): Promise<boolean> {
    const find = `SELECT id FROM domain_verifications WHERE account_id = ? LIMIT ${BATCH}${this.dialect.forUpdate}`;
    const ids = (await statements.read<[id: number]>(find, [accountId])).map(([id]) => id);
    if (ids.length === 0) return false;
    await this.changes.noteVerifications(statements, ids);
    const { sql, values } = inList(ids);
    await statements.write(`DELETE FROM domain_verifications WHERE id IN ${sql}`, values);
    return ids.length === BATCH;
  }
}
