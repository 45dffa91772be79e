import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Column, DataSource, Entity, type EntityManager, PrimaryColumn } from 'typeorm';
import { type Transaction, WriteExecutor } from '../platform/database/writes/transactions';

/** One row, created at first start and replaced by `frontdesk restored`, because a restored backup repeats delivery ids. */
@Entity('installations')
export class Installation {
  /** Always 1. */
  @PrimaryColumn({ type: 'int' })
  id: number;

  /** Random hexadecimal digits, the `part` of `msg_{part}_{id}`: the `webhook-id` of this installation's new deliveries. */
  @Column({ type: 'varchar', length: 16 })
  part: string;
}

const PART_BYTES = 6;

/** A restored backup repeats delivery ids: a random part distinguishes this database's deliveries from those of a backup or copy. */
@Injectable()
export class Installations implements OnModuleInit {
  private currentPart?: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly executor: WriteExecutor,
  ) {}

  /** `Installation.part`, for new deliveries. Read from the database in commands, where `onModuleInit` doesn't run. */
  async deliveryIdPart(transaction: Transaction): Promise<string> {
    return this.currentPart ?? findOrCreatePart(transaction.manager);
  }

  async onModuleInit(): Promise<void> {
    const found = await this.dataSource.manager.findOneBy(Installation, { id: 1 });
    this.currentPart = found?.part ?? (await this.executor.run(({ manager }) => findOrCreatePart(manager)));
  }
}

/** If several processes create the row at once, the first row is kept. */
async function findOrCreatePart(manager: EntityManager): Promise<string> {
  const found = await manager.findOneBy(Installation, { id: 1 });
  if (found) return found.part;
  await manager.createQueryBuilder().insert().into(Installation).values({ id: 1, part: newInstallationPart() }).orIgnore().execute();
  return findOrCreatePart(manager);
}

/** The `webhook-id` of all attempts of a delivery, by which receivers detect duplicates. */
export function webhookIdOf({ id, part, eventId }: { id: number; part: string; eventId: string | null }): string {
  return eventId ?? `msg_${part}_${id}`;
}

export function newInstallationPart(): string {
  return randomBytes(PART_BYTES).toString('hex');
}
