import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** TypeORM's name for the index on `account_id, number`. */
export const EVENTS_ACCOUNT_INDEX = 'IDX_eb2db61787605929672c898f32';

/** One change. Read by the audit log, the feed, the handlers and the edge. No foreign keys, because a row outlives the records it refers to. */
@Index(['account_id', 'number'])
export abstract class Event {
  id: number;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;

  /** 0 when the change concerns the whole service. */
  @Column({ type: 'int' })
  account_id: number;

  /** Null for an operator on the command line, and for the service. */
  @Column({ type: 'int', nullable: true })
  key_id: number | null;

  /** Empty for a change that only the edge reads. */
  @Column({ type: 'varchar', length: 16 })
  action: string;

  @Column({ type: 'varchar', length: 32 })
  record: string;

  /** Null for a change of many records, such as an import. */
  @Column({ type: 'int', nullable: true })
  record_id: number | null;

  @Column({ type: 'varchar', length: 128, nullable: true })
  request_id: string | null;

  /** Position in the log, assigned after the commit; null before. Rows numbered in one batch share a number. */
  @Index()
  @Column({ type: 'bigint', nullable: true })
  number: number | null;

  /** Whether `frontdesk audit` shows it. */
  @Column({ type: 'boolean', default: true })
  is_audited: boolean;

  /** Whether the service made the change on its own. */
  @Column({ type: 'boolean', default: false })
  is_by_service: boolean;

  /** JSON: what the feed shows as `data`. */
  @Column({ type: 'text', nullable: true })
  data: string | null;

  /** Host that the edge must reload, since it may now be served, changed or no longer served. */
  @Column({ type: 'varchar', length: 253, nullable: true })
  host: string | null;
}

/** Has 64-bit ids: every write uses one up, so a busy service would exhaust 32 bits in a year. */
@Entity('events')
export class MysqlEvent extends Event {
  @PrimaryGeneratedColumn({ type: 'bigint', unsigned: true })
  override id: number;
}

/** SQLite generates ids only for INTEGER columns, which are 64-bit anyway. */
@Entity('events')
export class SqliteEvent extends Event {
  @PrimaryGeneratedColumn()
  override id: number;
}

/** The state of the log: one row, with the id 1. */
@Entity('event_log')
export class EventLogState {
  @PrimaryColumn({ type: 'int' })
  id: number;

  /** The last number assigned. */
  @Column({ type: 'bigint' })
  last: number;

  /** Rows up to this number are older than EVENTS_KEEP_DAYS: the feed no longer shows them. */
  @Column({ type: 'bigint' })
  floor: number;

  /** Signs cursors. */
  @Column({ type: 'varchar', length: 64 })
  secret: string;
}

/** A period in which event numbers and ids are unique. A restored backup needs a new one, because both will be assigned again. */
@Entity('event_epochs')
export class EventEpoch {
  @PrimaryColumn({ type: 'varchar', length: 16 })
  name: string;

  /** The first number of its events. */
  @Column({ type: 'bigint' })
  start: number;
}
