import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** What records and keys belong to. */
@Entity('accounts')
export class Account {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 128, unique: true })
  name: string;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
