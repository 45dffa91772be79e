import { Injectable } from '@nestjs/common';
import { DataSource, In, LessThanOrEqual } from 'typeorm';
import { Clock } from '../../common/clock';
import { HOUR_MS } from '../../common/time';
import { Job } from '../../jobs/job.decorator';
import { expiryCutoff, IdempotencyKey } from './idempotency';

const ROWS_PER_BATCH = 1_000;

/** Deletes the stored results of requests with an Idempotency-Key once they have expired. */
@Injectable()
export class IdempotencyRetention {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Deletes in batches, so that no statement holds its locks for long. */
  @Job({ name: 'idempotency-keys', everyMs: HOUR_MS })
  async deleteExpired(signal: AbortSignal): Promise<void> {
    const [keys, datetime] = [this.dataSource.getRepository(IdempotencyKey), LessThanOrEqual(expiryCutoff(this.clock))];
    for (let deleted = ROWS_PER_BATCH; deleted === ROWS_PER_BATCH;) {
      signal.throwIfAborted();
      const expired = await keys.find({ select: { key_hash: true }, where: { datetime }, take: ROWS_PER_BATCH });
      deleted = expired.length;
      if (deleted > 0) await keys.delete({ key_hash: In(expired.map(({ key_hash }) => key_hash)), datetime }); // checks the time again: a key may have been claimed anew since
    }
  }
}
