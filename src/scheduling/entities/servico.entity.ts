import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { Account } from '../../auth/accounts/account.entity';

@Entity('servicos')
@Index(['account_id', 'servicos_id'])
@Index(['account_id', 'servico_nome_folded'])
export class Servico {
  @PrimaryGeneratedColumn()
  servicos_id: number;

  @Column({ type: 'int' })
  account_id: number;

  @ManyToOne(() => Account, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'account_id' })
  account: Account;

  @Column({ type: 'varchar', length: 128 })
  servico_nome: string;

  @Column({ type: 'varchar', length: 384 })
  servico_nome_folded: string;
}
