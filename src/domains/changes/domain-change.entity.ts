import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** A host that may have become live, have changed, or be live no more. Written in the transaction of the change. */
@Entity('domain_changes')
export class DomainChange {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 253 })
  host: string;

  /** Null until it is numbered, after its commit. */
  @Index()
  @Column({ type: 'bigint', nullable: true })
  sequence: number | null;

  /** Milliseconds since 1970. */
  @Index()
  @Column({ type: 'bigint' })
  created: number;
}

/** The last number given to changes: one row, with the id 1. */
@Entity('domain_change_sequences')
export class ChangeSequence {
  @PrimaryColumn({ type: 'int' })
  id: number;

  @Column({ type: 'bigint' })
  last: number;
}
