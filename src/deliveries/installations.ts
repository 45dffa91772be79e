import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { Clock } from '../platform/common/clock';
import { timestamp } from '../platform/common/time';
import { operatorContext } from '../platform/common/write-context';
import { audit } from '../platform/database/events/audit';
import { Dialect, type SqlExecutor } from '../platform/database/dialect';
import { inList } from '../platform/database/value-lists';
import { WriteExecutor } from '../platform/database/writes/transactions';
import { CHANNELS } from './channels/channel-table';

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
const WAKE_LEASED = "UPDATE delivery_lanes SET available = 0 WHERE lane IN (SELECT lane FROM deliveries WHERE lease > '')";
const GIVE_BACK = `UPDATE deliveries SET lease = NULL, begun = NULL, attempts = attempts - 1, last_datetime = ?
  WHERE lease > '' AND type NOT IN`;

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
    const [found] = await this.dialect.read<[part: string]>(FIND, []);
    this.currentPart = found ? found[0] : await this.executor.run((statements) => this.findOrCreatePart(statements));
  }

  /**
   * Creates a new part for later deliveries, and releases leases that processes held at the time of the backup. Those of paid
   * types lapse instead: their messages were probably sent. No other process may run.
   */
  async restore(): Promise<Restored> {
    const paid = inList([...CHANNELS].flatMap(([type, { isPaid }]) => (isPaid ? [type] : [])));
    const part = newPart();
    await this.dialect.prepareBulk(this.dataSource); // finding leases needs a full scan
    const givenBack = await this.executor.run(async (statements) => {
      await this.insert(statements, 'part = ?', [part, part]);
      await statements.write(WAKE_LEASED, []);
      const { affected } = await statements.write(`${GIVE_BACK} ${paid.sql}`, [timestamp(this.clock.now()), ...paid.values]);
      await audit(statements, operatorContext(0), { action: 'restore', record: 'installation', recordId: null });
      return affected;
    });
    this.currentPart = part;
    return { part, givenBack };
  }

  /** If several processes create a part at once, the first is kept. */
  private async findOrCreatePart(statements: SqlExecutor): Promise<string> {
    const [found] = await statements.read<[part: string]>(FIND, []);
    if (found) return found[0];
    await this.insert(statements, 'part = installations.part', [newPart()]);
    return this.findOrCreatePart(statements);
  }

  private insert(statements: SqlExecutor, onConflict: string, values: string[]) {
    return statements.write(`${INSERT} ${this.dialect.sql.upsertPrefix('id')} ${onConflict}`, values);
  }
}

/** The `webhook-id` of all attempts of a delivery, by which receivers detect duplicates. */
export function webhookIdOf({ id, part, eventId }: { id: number; part: string; eventId: string | null }): string {
  return eventId ?? `msg_${part}_${id}`;
}

function newPart(): string {
  return randomBytes(PART_BYTES).toString('hex');
}
