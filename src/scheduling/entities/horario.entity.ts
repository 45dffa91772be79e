import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { Account } from '../../auth/accounts/account.entity';

@Entity('horarios')
@Index(['account_id', 'horarios_id'])
@Index(['account_id', 'horario_id_folded'])
@Index(['account_id', 'horario_disponivel'])
export class Horario {
  @PrimaryGeneratedColumn()
  horarios_id: number;

  @Column({ type: 'int' })
  account_id: number;

  @ManyToOne(() => Account, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'account_id' })
  account: Account;

  @Column({ type: 'varchar', length: 64 })
  horario_id: string;

  @Column({ type: 'varchar', length: 192 })
  horario_id_folded: string;

  @Column({ type: 'boolean' })
  horario_disponivel: boolean;
}
