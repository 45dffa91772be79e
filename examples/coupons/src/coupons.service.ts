import { Injectable } from '@nestjs/common';
import {
  logAuditedEvent,
  Clock,
  type ListRequest,
  OperatorError,
  type Page,
  Records,
  type RecordTable,
  timestamp,
  type Versioned,
  type WriteContext,
  WriteExecutor,
} from 'frontdesk';
import { CouponRecord, type CreateCoupon, type UpdateCoupon } from './coupon.dto';
import { Coupon } from './coupon.entity';
import { describeCoupon } from './coupon-texts';

@Injectable()
export class CouponsService {
  private readonly table: RecordTable<CouponRecord>;

  constructor(
    private readonly records: Records,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {
    this.table = records.table<CouponRecord>(Coupon, CouponRecord, { describeEvent: describeCoupon });
  }

  findPage(accountId: number, request: ListRequest): Promise<Page<CouponRecord>> {
    return this.records.findPage(this.table, accountId, request);
  }

  find(accountId: number, id: number): Promise<Versioned<CouponRecord>> {
    return this.records.find(this.table, accountId, id);
  }

  create(context: WriteContext, input: CreateCoupon): Promise<number> {
    return this.records.insert(this.table, context, { ...input });
  }

  update(context: WriteContext, id: number, changes: UpdateCoupon): Promise<number> {
    return this.records.update(this.table, context, id, { ...changes });
  }

  delete(context: WriteContext, id: number): Promise<number> {
    return this.records.delete(this.table, context, id);
  }

  /** @throws OperatorError when the account has no such coupon */
  async expire(context: WriteContext, code: string): Promise<void> {
    await this.executor.runOnce(context, async (transaction) => {
      const { manager } = transaction;
      const coupon = await manager.findOneBy(Coupon, { account_id: context.accountId, code });
      if (!coupon) throw new OperatorError(`The account has no coupon ${code}.`);
      await manager.update(Coupon, { id: coupon.id }, { valid_until: timestamp(new Date(this.clock.now())) });
      await logAuditedEvent(transaction, context, {
        action: 'update',
        record: 'coupon',
        recordId: coupon.id,
        data: { changed: ['valid_until'] },
      });
      return coupon.id;
    });
  }
}
