import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../../common/time';
import { Job } from '../../jobs/job.decorator';
import { expiryAt } from './idempotency';
import { WriteExecutor } from './transactions';

const BATCH = 1_000;
/** MySQL allows LIMIT in an IN subquery only inside a derived table. */
const DELETE_OLD = `DELETE FROM idempotency_keys WHERE key_hash IN
  (SELECT key_hash FROM (SELECT key_hash FROM idempotency_keys WHERE datetime <= ? LIMIT ${BATCH}) old)`;

/** Deletes the stored results of requests with an Idempotency-Key once they have expired. */
@Injectable()
export class IdempotencyRetention {
  constructor(private readonly executor: WriteExecutor) {}

  /** In batches, so that no statement holds its locks for long. */
  @Job({ name: 'idempotency-keys', everyMs: HOUR_MS })
  async deleteExpired(signal: AbortSignal): Promise<void> {
    for (let deleted = BATCH; deleted === BATCH;) {
      signal.throwIfAborted();
      ({ affected: deleted } = await this.executor.run((statements) => statements.write(DELETE_OLD, [expiryAt(statements.clock)])));
    }
  }
}
