import { Injectable } from '@nestjs/common';
import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Clock } from '../../platform/common/clock';
import { timestamp } from '../../platform/common/time';
import { Dialect, type SqlExecutor } from '../../platform/database/dialect';
import { byService, logEvents } from '../../platform/database/events/audit';
import { inList, insertRows } from '../../platform/database/value-lists';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import type { Receipt } from '../delivery.dto';
import { Delivery } from '../delivery.entity';
import { DeliveryMetrics } from '../sending/delivery-metrics';
import { isFurther, type Report } from './twilio-report';

/**
 * Maps a sid, Twilio's id of a message or a call, to its delivery. A report that arrives before the response with the sid is kept here
 * until the delivery is known, for up to a day.
 */
@Entity('receipts')
@Index(['delivery_id', 'datetime'])
export class SidOfDelivery {
  @PrimaryColumn({ type: 'varchar', length: 64 })
  sid: string;

  /** Null while unknown. */
  @Column({ type: 'int', nullable: true })
  delivery_id: number | null;

  @ManyToOne(() => Delivery, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'delivery_id' })
  delivery: Delivery;

  /** JSON, as in `Delivery`: the most advanced report that came before the delivery was known. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  receipt: string | null;

  /** Creation time. */
  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}

const FIND = 'SELECT delivery_id FROM receipts WHERE sid = ?';
const LOCK = 'SELECT delivery_id, receipt FROM receipts WHERE sid = ?';
const KEEP = 'UPDATE receipts SET receipt = ? WHERE sid = ?';
const LOCK_DELIVERY = 'SELECT account_id, event_id, receipt FROM deliveries WHERE id = ?';
const SHOW = 'UPDATE deliveries SET receipt = ?, last_datetime = ? WHERE id = ?';

/** Assigns Twilio's reports to deliveries, and keeps each delivery's most advanced status. Transactions lock deliveries before sids. */
@Injectable()
export class Receipts {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly metrics: DeliveryMetrics,
    private readonly clock: Clock,
  ) {}

  /** Resolves once the report is written, or found to be no more advanced than the last. */
  async note({ sid, type, status, code }: Report): Promise<void> {
    const receipt = { status, code, datetime: timestamp(this.clock.now()) };
    while (!(await this.executor.run((statements) => this.noteWithin(statements, sid, receipt))));
    this.metrics.countReceipt(type, status);
  }

  /** Stores the sids of deliveries, which must be locked, and applies the reports that came before. */
  async attach(statements: SqlExecutor, sids: ReadonlyMap<string, number>, time: string): Promise<void> {
    const rows = [...sids].sort(([a], [b]) => (a < b ? -1 : 1)).map(([sid, id]) => [sid, id, time]);
    const suffix = { sql: this.dialect.sql.upsertClause('sid', ['delivery_id']) };
    await insertRows(statements, 'receipts', ['sid', 'delivery_id', 'datetime'], rows, suffix);
    const list = inList([...sids.keys()]);
    const reported = `${LOCK.replace('= ?', `IN ${list.sql}`)} AND receipt IS NOT NULL ORDER BY sid${this.dialect.sql.forUpdate}`;
    for (const [deliveryId, receipt] of await statements.read<[id: number, receipt: string]>(reported, list.values))
      await this.show(statements, deliveryId, parseReceipt(receipt)!);
  }

  /** Returns false, to be called again, if the delivery became known meanwhile: it has to be locked before the sid. */
  private async noteWithin(statements: SqlExecutor, sid: string, receipt: Receipt): Promise<boolean> {
    const [known] = await statements.read<[deliveryId: number | null]>(FIND, [sid]);
    if (known?.[0]) {
      await this.show(statements, known[0], receipt);
      return true;
    }
    const unlessThere = { sql: `${this.dialect.sql.upsertPrefix('sid')} sid = receipts.sid` };
    await insertRows(statements, 'receipts', ['sid', 'datetime'], [[sid, receipt.datetime]], unlessThere);
    const lock = LOCK + this.dialect.sql.forUpdate;
    const [[deliveryId, kept]] = await statements.read<[number | null, string | null]>(lock, [sid]);
    if (deliveryId !== null) return false;
    if (isNews(receipt, parseReceipt(kept))) await statements.write(KEEP, [JSON.stringify(receipt), sid]);
    return true;
  }

  /** Updates the delivery if the report is more advanced than its receipt. A delivery that reports an event causes none. */
  private async show(statements: SqlExecutor, id: number, receipt: Receipt): Promise<void> {
    type Row = [accountId: number, eventId: string | null, shown: string | null];
    const [delivery] = await statements.read<Row>(LOCK_DELIVERY + this.dialect.sql.forUpdate, [id]);
    if (!delivery) return; // deleted meanwhile
    const [accountId, eventId, shown] = delivery;
    if (!isNews(receipt, parseReceipt(shown))) return;
    await statements.write(SHOW, [JSON.stringify(receipt), timestamp(this.clock.now()), id]);
    const { status, code } = receipt;
    const event = { action: 'receipt', record: 'delivery', recordId: id, data: { status, code } };
    if (eventId === null) await logEvents(statements, byService(accountId), [event]);
  }
}

function isNews({ status }: Receipt, shown: Receipt | null): boolean {
  return shown === null || isFurther(status, shown.status);
}

export function parseReceipt(json: string | null): Receipt | null {
  return json === null ? null : (JSON.parse(json) as Receipt);
}
