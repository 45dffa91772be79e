import { Injectable } from '@nestjs/common';
import { Dialect } from '../../../database/dialect';
import { RecordNotFound } from '../../../database/records/records';
import { WriteExecutor, yieldToWriters } from '../../../database/writes/transactions';
import { VerificationRepair } from '../verification-repair';

/** Domains read at once, in a millisecond or two of the embedded database. */
const BATCH = 1_000;
const BATCH_END = `SELECT MAX(id) FROM (SELECT id FROM domains WHERE id > ? ORDER BY id LIMIT ${BATCH}) batch`;
/** Not those of disabled accounts: deleting one ends its verifications first. */
const FIND = `SELECT domains.id FROM domains JOIN accounts ON accounts.id = domains.account_id LEFT JOIN domain_verifications verification
  ON verification.domain_id = domains.id AND verification.host = domains.host
  WHERE domains.id > ? AND domains.id <= ? AND verification.id IS NULL AND accounts.disabled_datetime IS NULL`;

/** Makes the verifications of domains that a process of an older version has written, during an upgrade. */
@Injectable()
export class MissingVerifications {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly repair: VerificationRepair,
  ) {}

  /** Until all are made, or `mayGoOn` returns false. */
  async make(mayGoOn: () => boolean): Promise<void> {
    for (let start = 0; mayGoOn();) {
      const [[end]] = await this.dialect.read(BATCH_END, [start]);
      if (end === null) return;
      for (const [id] of await this.dialect.read(FIND, [start, end])) {
        if (!mayGoOn()) return;
        await this.ensure(Number(id));
        await yieldToWriters(); // after each: a million domains written by SQL took all of the embedded database
      }
      start = Number(end);
      await yieldToWriters();
    }
  }

  private async ensure(domainId: number): Promise<void> {
    try {
      await this.executor.runWithRetries((statements) => this.repair.lock(statements, domainId));
    } catch (error) {
      if (!(error instanceof RecordNotFound)) throw error; // deleted meanwhile
    }
  }
}
