import { Injectable } from '@nestjs/common';
import { logAuditedEvent, Clock, DAY_MS, Job, operatorContext, timestamp, WriteExecutor } from 'frontdesk';
import { DataSource, In, LessThan } from 'typeorm';
import { Coupon } from './coupon.entity';

const KEEP_DAYS = 365;
/** Coupons per transaction, to keep locks short. */
const BATCH = 200;

@Injectable()
export class OldCoupons {
  constructor(
    private readonly dataSource: DataSource,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Deletes coupons a year after they have expired. */
  @Job({ name: 'old-coupons', everyMs: DAY_MS })
  async delete(signal: AbortSignal): Promise<void> {
    const coupons = this.dataSource.getRepository(Coupon);
    const valid_until = LessThan(timestamp(new Date(this.clock.now() - KEEP_DAYS * DAY_MS)));
    for (let found = BATCH; found === BATCH;) {
      signal.throwIfAborted();
      const old = await coupons.find({ select: { id: true, account_id: true }, where: { valid_until }, take: BATCH });
      if (old.length > 0) await this.deleteAll(old);
      found = old.length;
    }
  }

  private async deleteAll(coupons: Coupon[]): Promise<void> {
    await this.executor.run(async (transaction) => {
      await transaction.manager.delete(Coupon, { id: In(coupons.map(({ id }) => id)) });
      for (const { id: recordId, account_id } of coupons)
        await logAuditedEvent(transaction, operatorContext(account_id), { action: 'delete', record: 'coupon', recordId });
    });
  }
}
