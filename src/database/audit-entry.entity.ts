import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** One write, of a client or an operator. No reference to what it names: it outlives that. */
@Entity('audit')
@Index(['account_id', 'id'])
export class AuditEntry {
  @PrimaryGeneratedColumn({ unsigned: true })
  id: number;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;

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
