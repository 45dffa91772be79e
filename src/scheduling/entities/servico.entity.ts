import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned } from '../../auth/accounts/account.entity';

@Entity('servicos')
@Index(['account_id', 'servicos_id'])
@Index(['account_id', 'servico_nome_folded'])
export class Servico extends AccountOwned {
  @PrimaryGeneratedColumn()
  servicos_id: number;

  @Column({ type: 'varchar', length: 128 })
  servico_nome: string;

  @Column({ type: 'varchar', length: 384 })
  servico_nome_folded: string;
}
