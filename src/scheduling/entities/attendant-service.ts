import { Column, Index, JoinColumn, ManyToOne } from 'typeorm';
import { AccountOwned } from '../../auth/accounts/account.entity';
import { Atendente } from './atendente.entity';
import { Servico } from './servico.entity';

/** References to an attendant and a service. */
export abstract class AttendantService extends AccountOwned {
  @Index()
  @Column({ type: 'int' })
  atendentes_id: number;

  /** Belongs to the same account. */
  @ManyToOne(() => Atendente, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'atendentes_id' })
  atendente: Atendente;

  @Index()
  @Column({ type: 'int' })
  servicos_id: number;

  /** Belongs to the same account. */
  @ManyToOne(() => Servico, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'servicos_id' })
  servico: Servico;
}
