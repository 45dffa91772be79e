import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned } from '../../auth/accounts/account.entity';

@Entity('horarios')
@Index(['account_id', 'horarios_id'])
@Index(['account_id', 'horario_id_folded'])
@Index(['account_id', 'horario_disponivel'])
export class Horario extends AccountOwned {
  @PrimaryGeneratedColumn()
  horarios_id: number;

  @Column({ type: 'varchar', length: 64 })
  horario_id: string;

  @Column({ type: 'varchar', length: 192 })
  horario_id_folded: string;

  @Column({ type: 'boolean' })
  horario_disponivel: boolean;
}
