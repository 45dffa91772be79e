import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Column, DataSource, Entity, In, MoreThan, Not, PrimaryColumn } from 'typeorm';
import { Clock } from '../platform/common/clock';
import { timestamp } from '../platform/common/time';
import { operatorContext } from '../platform/common/write-context';
import { audit } from '../platform/database/events/audit';
import { Dialect, type SqlExecutor } from '../platform/database/dialect';
import { WriteExecutor } from '../platform/database/writes/transactions';
import { CHANNELS } from './channels/channel-table';
import { Delivery } from './delivery.entity';
import { DeliveryLane } from './queue/lane';

/** One row, created at first start and replaced by `frontdesk restored`, because a restored backup repeats delivery ids. */
@Entity('installations')
export class Installation {
  /** Always 1. */
  @PrimaryColumn({ type: 'int' })
  id: number;

  /** Random hexadecimal digits, part of the ids of new deliveries. */
  @Column({ type: 'varchar', length: 16 })
  part: string;
}

const PART_BYTES = 6;
const FIND = 'SELECT part FROM installations WHERE id = 1';
const INSERT = 'INSERT INTO installations (id, part) VALUES (1, ?)';
export interface Restored {
  part: string;
  /** Deliveries in progress when the backup was taken. */
  givenBack: number;
}

/** A restored backup repeats delivery ids: a random part distinguishes this database's deliveries from those of a backup or copy. */
@Injectable()
export class Installations implements OnModuleInit {
  private currentPart?: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Part of the ids of new deliveries. In a command, `onModuleInit` doesn't run, so this reads the part from the database. */
  async deliveryIdPart(statements: SqlExecutor): Promise<string> {
    return this.currentPart ?? this.findOrCreatePart(statements);
  }

  async onModuleInit(): Promise<void> {
    const found = await this.dataSource.manager.findOneBy(Installation, { id: 1 });
    this.currentPart = found?.part ?? (await this.executor.run((statements) => this.findOrCreatePart(statements)));
  }

  /**
   * Creates a new part for later deliveries, and releases leases that processes held at the time of the backup. Those of paid
   * types lapse instead: their messages were probably sent. No other process may run.
   */
  async restore(): Promise<Restored> {
    const paid = [...CHANNELS].flatMap(([type, { isPaid }]) => (isPaid ? [type] : []));
    const [part, isLeased] = [newPart(), { lease: MoreThan('') }];
    const released = { lease: null, started: null, attempts: () => 'attempts - 1', last_datetime: timestamp(this.clock.now()) };
    await this.dialect.prepareBulk(this.dataSource); // finding leases needs a full scan
    const givenBack = await this.executor.run(async (transaction) => {
      const { manager } = transaction;
      await manager.upsert(Installation, { id: 1, part }, ['id']);
      const leased = await manager.find(Delivery, { select: { id: true, lane: true }, where: isLeased });
      await manager.update(DeliveryLane, { lane: In(leased.map(({ lane }) => lane)) }, { available: 0 });
      const giveBack = manager.createQueryBuilder().update(Delivery).set(released);
      const { affected = 0 } = await giveBack
        .where({ ...isLeased, type: Not(In(paid)) })
        .callListeners(false)
        .execute();
      await audit(transaction, operatorContext(0), { action: 'restore', record: 'installation', recordId: null });
      return affected;
    });
    this.currentPart = part;
    return { part, givenBack };
  }

  /** If several processes create a part at once, the first is kept. */
  private async findOrCreatePart(statements: SqlExecutor): Promise<string> {
    const [found] = await statements.read<[part: string]>(FIND, []);
    if (found) return found[0];
    await statements.write(`${INSERT} ${this.dialect.sql.upsertPrefix('id')} part = installations.part`, [newPart()]);
    return this.findOrCreatePart(statements);
  }
}

/** The `webhook-id` of all attempts of a delivery, by which receivers detect duplicates. */
export function webhookIdOf({ id, part, eventId }: { id: number; part: string; eventId: string | null }): string {
  return eventId ?? `msg_${part}_${id}`;
}

function newPart(): string {
  return randomBytes(PART_BYTES).toString('hex');
}
