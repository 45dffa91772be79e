import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last number given to changes: one row, with the id 1. */
@Entity('domain_change_sequences')
export class ChangeSequence {
  @PrimaryColumn({ type: 'int' })
  id: number;

  @Column({ type: 'bigint' })
  last: number;
}
