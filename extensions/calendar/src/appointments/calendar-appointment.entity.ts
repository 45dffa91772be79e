import { AccountOwned } from 'frontdesk';
import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * An appointment as calendars show it, with what `agendamentos` doesn't record: how often and when it has changed, and whether it was
 * deleted. A new attendant or service creates a new row, since the appointment moves from one calendar to another.
 */
@Entity('calendar_appointments')
@Index(['account_id', 'agendamento_id', 'atendentes_id', 'servicos_id'], { unique: true })
@Index(['account_id', 'data_hora'])
@Index(['account_id', 'cancelled'])
export class CalendarAppointment extends AccountOwned {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'int' })
  agendamento_id: number;

  @Column({ type: 'int' })
  atendentes_id: number;

  @Column({ type: 'int' })
  servicos_id: number;

  @Column({ type: 'varchar', length: 19 })
  data_hora: string;

  @Column({ type: 'varchar', length: 128 })
  nome: string;

  @Column({ type: 'varchar', length: 32 })
  telefone: string;

  @Column({ type: 'varchar', length: 128 })
  servico_nome: string;

  @Column({ type: 'varchar', length: 128 })
  atendente_nome: string;

  /** The same in all rows of an appointment. */
  @Column({ type: 'varchar', length: 36 })
  uid: string;

  @Column({ type: 'int' })
  sequence: number;

  /** In UTC. */
  @Column({ type: 'varchar', length: 19 })
  modified: string;

  /** In UTC; null unless cancelled. */
  @Column({ type: 'varchar', length: 19, nullable: true })
  cancelled: string | null;
}
