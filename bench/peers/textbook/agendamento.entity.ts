import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';

@Entity('servicos')
export class Servico {
  @PrimaryGeneratedColumn()
  servicos_id: number;

  @Column()
  servico_nome: string;
}

@Entity('atendentes')
export class Atendente {
  @PrimaryGeneratedColumn()
  atendentes_id: number;

  @Column()
  atendente_nome: string;
}

@Entity('agendamentos')
export class Agendamento {
  @PrimaryGeneratedColumn()
  agendamento_id: number;

  @Column()
  account_id: number;

  @Column()
  nome: string;

  @Column()
  nome_folded: string;

  @Column()
  telefone: string;

  @Column()
  data_hora: string;

  @Column()
  servicos_id: number;

  @ManyToOne(() => Servico)
  @JoinColumn({ name: 'servicos_id' })
  servico: Servico;

  @Column()
  atendentes_id: number;

  @ManyToOne(() => Atendente)
  @JoinColumn({ name: 'atendentes_id' })
  atendente: Atendente;
}
