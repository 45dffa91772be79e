import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned } from '../../auth/accounts/account-owned';
import { Atendente } from './atendente.entity';
import { Servico } from './servico.entity';

@Entity('agendamentos')
@Index(['account_id', 'agendamento_id'])
@Index(['account_id', 'nome_folded'])
@Index(['account_id', 'telefone_folded'])
@Index(['account_id', 'data_hora'])
export class Agendamento extends AccountOwned {
  @PrimaryGeneratedColumn()
  agendamento_id: number;

  @Column({ type: 'varchar', length: 128 })
  nome: string;

  @Column({ type: 'varchar', length: 384 })
  nome_folded: string;

  @Column({ type: 'varchar', length: 32 })
  telefone: string;

  @Column({ type: 'varchar', length: 96 })
  telefone_folded: string;

  @Column({ type: 'varchar', length: 19 })
  data_hora: string;

  @Index()
  @Column({ type: 'int' })
  servicos_id: number;

  /** Belongs to the same account. */
  @ManyToOne(() => Servico, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'servicos_id' })
  servico: Servico;

  @Index()
  @Column({ type: 'int' })
  atendentes_id: number;

  /** Belongs to the same account. */
  @ManyToOne(() => Atendente, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'atendentes_id' })
  atendente: Atendente;
}
