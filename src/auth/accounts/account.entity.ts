import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** What records and keys belong to. */
@Entity('accounts')
export class Account {
  @PrimaryGeneratedColumn()
  id: number;

  @Index({ unique: true })
  @Column({ type: 'varchar', length: 128 })
  name: string;

  /** Until it is enabled again, its keys are answered like revoked ones. */
  @Column({ type: 'varchar', length: 19, nullable: true })
  disabled_datetime: string | null;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
