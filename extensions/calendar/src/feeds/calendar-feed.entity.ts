import { AccountRecord } from 'frontdesk';
import { Column, Entity, Index } from 'typeorm';

/** A calendar: which appointments it shows, and how. No foreign key to the attendant and the service: a calendar outlives them. */
@Entity('calendar_feeds')
@Index(['account_id', 'name_folded'])
@Index(['account_id', 'datetime'])
@Index(['account_id', 'last_datetime'])
export class CalendarFeed extends AccountRecord {
  @Column({ type: 'varchar', length: 128 })
  name: string;

  @Column({ type: 'varchar', length: 384 })
  name_folded: string;

  /** Null for all. */
  @Column({ type: 'int', nullable: true })
  atendente_id: number | null = null;

  /** Null for all. */
  @Column({ type: 'int', nullable: true })
  servico_id: number | null = null;

  /** Length of an appointment, in minutes. */
  @Column({ type: 'int' })
  duration = 30;

  /** The IANA name of the zone of `data_hora`. */
  @Column({ type: 'varchar', length: 64 })
  timezone: string;

  @Column({ type: 'varchar', length: 8 })
  language = 'en';

  @Column({ type: 'boolean' })
  hide_names = false;

  /** SHA-256 of the token in the address. */
  @Index({ unique: true })
  @Column({ type: 'varchar', length: 64 })
  token_hash: string;

  /** Counts changes of the appointments shown; 0 until they have first been read. */
  @Column({ type: 'int' })
  state = 0;
}
