import { Injectable } from '@nestjs/common';
import { DataSource, In, MoreThan, Not } from 'typeorm';
import { Clock } from '../platform/common/clock';
import { timestamp } from '../platform/common/time';
import { operatorContext } from '../platform/common/write-context';
import { Dialect } from '../platform/database/dialect';
import { logAuditedEvent } from '../platform/database/events/event-log';
import { WriteExecutor } from '../platform/database/writes/transactions';
import { CHANNELS } from './channels/channel-table';
import { Delivery } from './delivery.entity';
import { Installation, newInstallationPart } from './installations';
import { DeliveryLane } from './queue/lane';

export interface RestoreResult {
  /** The new `Installation.part`. */
  part: string;
  /** Number of deliveries whose leases were released: they were in progress when the backup was taken. */
  releasedCount: number;
}

/** Makes a restored backup ready to send. */
@Injectable()
export class RestoredBackup {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a new `Installation.part` for later deliveries, and releases the leases that processes held at the time of the backup. Leases
   * of paid types lapse instead: their messages were probably sent. No other process may be running.
   */
  async prepare(): Promise<RestoreResult> {
    const paid = [...CHANNELS].flatMap(([type, { isPaid }]) => (isPaid ? [type] : []));
    const [part, whereLeased] = [newInstallationPart(), { lease: MoreThan('') }];
    const released = { lease: null, started: null, attempts: () => 'attempts - 1', last_datetime: timestamp(this.clock.now()) };
    await this.dialect.prepareBulk(this.dataSource); // finding leases needs a full scan
    const releasedCount = await this.executor.run(async (transaction) => {
      const { manager } = transaction;
      await manager.upsert(Installation, { id: 1, part }, ['id']);
      const leased = await manager.find(Delivery, { select: { id: true, lane: true }, where: whereLeased });
      await manager.update(DeliveryLane, { lane: In(leased.map(({ lane }) => lane)) }, { available: 0 });
      const releaseQuery = manager.createQueryBuilder().update(Delivery).set(released);
      const { affected = 0 } = await releaseQuery
        .where({ ...whereLeased, type: Not(In(paid)) })
        .callListeners(false)
        .execute();
      await logAuditedEvent(transaction, operatorContext(0), { action: 'restore', record: 'installation', recordId: null });
      return affected;
    });
    return { part, releasedCount };
  }
}
