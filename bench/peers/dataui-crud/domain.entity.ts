import { Exclude } from 'class-transformer';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('domains')
export class Domain {
  @PrimaryGeneratedColumn()
  id: number;

  @Exclude()
  @Column()
  account_id: number;

  @Column()
  scheme: string;

  @Column()
  host: string;

  @Column()
  custom_index_url: string;

  @Exclude()
  @Column()
  custom_not_found_url: string;

  @Column({ type: 'boolean' })
  is_enabled: boolean;

  @Column({ type: 'varchar', nullable: true })
  last_datetime: string | null;

  @Column()
  datetime: string;
}
