import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** A change of a host, for processes of the previous version, which follow this table. Goes with the next release. */
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

  /** Null in rows written by the previous version, until they are in the event log. */
  @Index()
  @Column({ type: 'boolean', nullable: true })
  is_logged: boolean | null;
}

/** The last number that the previous version has given: one row, with the id 1. */
@Entity('domain_change_sequences')
export class ChangeSequence {
  @PrimaryColumn({ type: 'int' })
  id: number;

  @Column({ type: 'bigint' })
  last: number;
}
