import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** One write by a client or an operator. No foreign keys: it outlives the records it names. */
@Index(['account_id', 'id'])
export abstract class AuditEntry {
  id: number;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;

  /** 0 when the write concerns the whole service. */
  @Column({ type: 'int' })
  account_id: number;

  /** Null for an operator on the command line. */
  @Column({ type: 'int', nullable: true })
  key_id: number | null;

  @Column({ type: 'varchar', length: 16 })
  action: string;

  @Column({ type: 'varchar', length: 32 })
  record: string;

  /** Null for an import, which writes many records. */
  @Column({ type: 'int', nullable: true })
  record_id: number | null;

  @Column({ type: 'varchar', length: 128, nullable: true })
  request_id: string | null;
}

/** Every write uses an id, so 32 bits would last a busy service a year. The driver returns bigints as strings; AuditReader converts them. */
@Entity('audit')
export class MysqlAuditEntry extends AuditEntry {
  @PrimaryGeneratedColumn({ type: 'bigint', unsigned: true })
  override id: number;
}

/** SQLite generates ids only for INTEGER columns, which have 64 bits. */
@Entity('audit')
export class SqliteAuditEntry extends AuditEntry {
  @PrimaryGeneratedColumn()
  override id: number;
}
