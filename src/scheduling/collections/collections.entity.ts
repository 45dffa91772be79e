import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
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

/** References to an attendant and a service. */
abstract class AttendantService extends AccountOwned {
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

@Entity('atendenteservico')
@Index(['account_id', 'atendenteservico_id'])
export class AtendenteServico extends AttendantService {
  @PrimaryGeneratedColumn()
  atendenteservico_id: number;
}

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

@Entity('agendamentos')
@Index(['account_id', 'agendamento_id'])
@Index(['account_id', 'nome_folded'])
@Index(['account_id', 'telefone_folded'])
@Index(['account_id', 'data_hora'])
export class Agendamento extends AttendantService {
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
}
