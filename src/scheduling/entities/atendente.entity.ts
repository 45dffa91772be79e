import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned } from '../../auth/accounts/account.entity';

@Entity('atendentes')
@Index(['account_id', 'atendentes_id'])
@Index(['account_id', 'atendente_nome_folded'])
@Index(['account_id', 'atendente_cargo_folded'])
@Index(['account_id', 'atendente_diponivel'])
export class Atendente extends AccountOwned {
  @PrimaryGeneratedColumn()
  atendentes_id: number;

  @Column({ type: 'varchar', length: 128 })
  atendente_nome: string;

  @Column({ type: 'varchar', length: 384 })
  atendente_nome_folded: string;

  @Column({ type: 'varchar', length: 128 })
  atendente_cargo: string;

  @Column({ type: 'varchar', length: 384 })
  atendente_cargo_folded: string;

  @Column({ type: 'boolean' })
  atendente_diponivel: boolean;
}
