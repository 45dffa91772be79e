import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { AttendantService } from './attendant-service';

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
