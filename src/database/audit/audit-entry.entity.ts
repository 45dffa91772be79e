import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** One write, of a client or an operator. No reference to what it names: it outlives that. */
@Index(['account_id', 'id'])
export abstract class AuditEntry {
  id: number;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;

  /** 0 for what concerns the service as a whole. */
  @Column({ type: 'int' })
  account_id: number;

  /** Null for what an operator did on the command line. */
  @Column({ type: 'int', nullable: true })
  key_id: number | null;

  @Column({ type: 'varchar', length: 16 })
  action: string;

  @Column({ type: 'varchar', length: 32 })
  record: string;

  /** Null for an import, which writes many. */
  @Column({ type: 'int', nullable: true })
  record_id: number | null;

  @Column({ type: 'varchar', length: 128, nullable: true })
  request_id: string | null;
}

/** Every write takes an id: 32 bits would last a busy service a year. The driver returns them as strings: read them through AuditLog. */
@Entity('audit')
export class MysqlAuditEntry extends AuditEntry {
  @PrimaryGeneratedColumn({ type: 'bigint', unsigned: true })
  override id: number;
}

/** SQLite generates ids only in a column of the type INTEGER, which has 64 bits. */
@Entity('audit')
export class SqliteAuditEntry extends AuditEntry {
  @PrimaryGeneratedColumn()
  override id: number;
}
