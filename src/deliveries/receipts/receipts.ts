import { Injectable } from '@nestjs/common';
import { Column, Entity, In, Index, IsNull, JoinColumn, ManyToOne, Not, PrimaryColumn } from 'typeorm';
import { Clock } from '../../platform/common/clock';
import { timestamp } from '../../platform/common/time';
import { byService, logEvents } from '../../platform/database/events/event-log';
import { rowLock } from '../../platform/database/row-lock';
import { type Transaction, WriteExecutor } from '../../platform/database/writes/transactions';
import { Delivery } from '../delivery.entity';
import { DeliveryMetrics } from '../delivery-metrics';
import { type DeliveryListener, DeliveryListeners, type EndedDelivery } from '../queue/delivery-listeners';
import { isMoreAdvanced, parseReceipt, type Receipt, type TwilioStatus } from '../channels/twilio-report';

/**
 * Maps a sid, Twilio's id of a message or a call, to its delivery. A report that arrives before the response with the sid is kept here
 * until the delivery is known, for up to a day.
 */
@Entity('receipts')
@Index(['delivery_id', 'datetime'])
export class SidOfDelivery {
  @PrimaryColumn({ type: 'varchar', length: 64 })
  sid: string;

  /** Null while the delivery is unknown. */
  @Column({ type: 'int', nullable: true })
  delivery_id: number | null;

  @ManyToOne(() => Delivery, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'delivery_id' })
  delivery: Delivery;

  /** JSON, as in `Delivery`: the most advanced report that came before the delivery was known. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  receipt: string | null;

  /** When the sid was stored, or last reported while its delivery was unknown. */
  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}

/** Assigns Twilio's reports to deliveries, and keeps each delivery's most advanced status. Transactions lock deliveries before sids. */
@Injectable()
export class Receipts implements DeliveryListener {
  constructor(
    private readonly executor: WriteExecutor,
    private readonly listeners: DeliveryListeners,
    private readonly metrics: DeliveryMetrics,
    private readonly clock: Clock,
  ) {
    listeners.add(this);
  }

  /** Resolves once the report is stored, or ignored because it is no more advanced than the last. */
  async note({ sid, type, status, code }: TwilioStatus): Promise<void> {
    const receipt = { status, code, datetime: timestamp(this.clock.now()) };
    while (!(await this.executor.run((transaction) => this.tryNote(transaction, sid, receipt))));
    this.metrics.receipts?.inc({ type, status });
  }

  /** Stores the deliveries' sids, and applies reports that arrived before them. */
  async onEnded(transaction: Transaction, deliveries: readonly EndedDelivery[]): Promise<void> {
    const datetime = timestamp(this.clock.now());
    const rows = deliveries.flatMap(({ id, sid }) => (sid ? [{ sid, delivery_id: id, datetime }] : []));
    if (rows.length === 0) return;
    const { manager } = transaction;
    rows.sort((a, b) => (a.sid < b.sid ? -1 : 1)); // in a fixed order, so that transactions can't deadlock
    await manager.upsert(SidOfDelivery, rows, ['sid']);
    const where = { sid: In(rows.map(({ sid }) => sid)), receipt: Not(IsNull()) };
    for (const { delivery_id, receipt } of await manager.find(SidOfDelivery, { where, order: { sid: 'ASC' }, lock: rowLock(manager) }))
      await this.applyReceipt(transaction, delivery_id!, parseReceipt(receipt)!);
  }

  /** Returns false if the delivery became known meanwhile. Then call it again, since a delivery is locked before its sid. */
  private async tryNote(transaction: Transaction, sid: string, receipt: Receipt): Promise<boolean> {
    const { manager } = transaction;
    const known = await manager.findOneBy(SidOfDelivery, { sid });
    if (known?.delivery_id) {
      await this.applyReceipt(transaction, known.delivery_id, receipt);
      return true;
    }
    await manager.upsert(SidOfDelivery, { sid, datetime: receipt.datetime }, ['sid']); // locks the row, too
    const kept = await manager.findOneByOrFail(SidOfDelivery, { sid });
    if (kept.delivery_id !== null) return false;
    if (isProgress(receipt, parseReceipt(kept.receipt))) await manager.update(SidOfDelivery, { sid }, { receipt: JSON.stringify(receipt) });
    return true;
  }

  /** Updates the delivery if the report is more advanced than its receipt. Logs no event for a delivery that itself reports one. */
  private async applyReceipt(transaction: Transaction, id: number, receipt: Receipt): Promise<void> {
    const { manager } = transaction;
    const select = { id: true, account_id: true, message_id: true, event_id: true, until: true, receipt: true };
    const delivery = await manager.findOne(Delivery, { select, where: { id }, lock: rowLock(manager) });
    if (!delivery || !isProgress(receipt, parseReceipt(delivery.receipt))) return; // deleted meanwhile, or nothing new
    const columns = { receipt: JSON.stringify(receipt), last_datetime: timestamp(this.clock.now()) };
    const update = manager.createQueryBuilder().update(Delivery).set(columns).where({ id });
    await update.callListeners(false).execute(); // lists of deliveries count no updates
    const { status, code } = receipt;
    const event = { action: 'receipt', record: 'delivery', recordId: id, data: { status, code } };
    if (delivery.event_id === null) await logEvents(transaction, byService(delivery.account_id), [event]);
    await this.listeners.notifyReported(transaction, { messageId: delivery.message_id, until: delivery.until });
  }
}

function isProgress({ status }: Receipt, shown: Receipt | null): boolean {
  return shown === null || isMoreAdvanced(status, shown.status);
}
