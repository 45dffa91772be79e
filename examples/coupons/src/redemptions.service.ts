import { HttpException, Injectable } from '@nestjs/common';
import {
  MessageSender,
  logAuditedEvent,
  Clock,
  type ListRequest,
  type Page,
  Records,
  type RecordTable,
  RequestError,
  timestamp,
  type WriteContext,
  WriteExecutor,
} from 'frontdesk';
import type { EntityManager } from 'typeorm';
import { Coupon } from './coupon.entity';
import { type CreateRedemption, RedemptionRecord } from './redemption.dto';
import { Redemption } from './redemption.entity';

@Injectable()
export class RedemptionsService {
  private readonly table: RecordTable<RedemptionRecord>;

  constructor(
    private readonly records: Records,
    private readonly executor: WriteExecutor,
    private readonly messages: MessageSender,
    private readonly clock: Clock,
  ) {
    this.table = records.table<RedemptionRecord>(Redemption, RedemptionRecord);
  }

  findPage(accountId: number, request: ListRequest): Promise<Page<RedemptionRecord>> {
    return this.records.findPage(this.table, accountId, request);
  }

  /** @throws RequestError for another account's coupon, HttpException 409 for one that is expired or used up */
  create(context: WriteContext, { coupon_id, customer }: CreateRedemption): Promise<number> {
    return this.executor.runOnce(context, async (transaction) => {
      const { manager } = transaction;
      const { code, redeemed, max_redemptions } = await this.redeem(manager, { id: coupon_id, account_id: context.accountId });
      await logAuditedEvent(transaction, context, {
        action: 'update',
        record: 'coupon',
        recordId: coupon_id,
        data: { changed: ['redeemed'] },
      });
      const { id } = await manager.save(Redemption, { account_id: context.accountId, coupon_id, customer });
      await logAuditedEvent(transaction, context, { action: 'create', record: 'redemption', recordId: id });
      if (redeemed === max_redemptions) await this.messages.send(transaction, context, { text: `The last coupon ${code} was redeemed.` });
      return id;
    });
  }

  /** The UPDATE both checks and counts, so that requests at once never exceed the maximum. */
  private async redeem(manager: EntityManager, own: { id: number; account_id: number }): Promise<Coupon> {
    const now = timestamp(new Date(this.clock.now()));
    const update = manager.createQueryBuilder().update(Coupon).where(own);
    const { affected } = await update
      .set({ redeemed: () => 'redeemed + 1' })
      .andWhere('redeemed < max_redemptions')
      .andWhere('(valid_until IS NULL OR valid_until > :now)', { now })
      .execute();
    const coupon = await manager.findOneBy(Coupon, own);
    if (!coupon) throw RequestError.of('invalid_parameter', 'There is no coupon with this id.', { in: 'form', name: 'coupon_id' });
    if (affected === 1) return coupon;
    if (coupon.valid_until !== null && coupon.valid_until <= now)
      throw new HttpException({ code: 'coupon_expired', message: 'This coupon has expired.' }, 409);
    throw new HttpException({ code: 'coupon_used_up', message: 'This coupon has been redeemed as often as it can be.' }, 409);
  }
}
