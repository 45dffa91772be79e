import { AccountRecord } from 'frontdesk';
import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { AppointmentReminder } from './appointment-reminder.entity';

/** A reminder that was sent, with the appointment as it was then. The unique key lets each of a reminder's times be sent only once. */
@Entity('calendar_due_appointments')
@Index(['appointment_reminder_id', 'agendamento_id', 'data_hora', 'minutes'], { unique: true })
@Index(['account_id', 'datetime'])
@Index(['account_id', 'last_datetime'])
export class DueAppointment extends AccountRecord {
  @Column({ type: 'int' })
  appointment_reminder_id: number;

  @ManyToOne(() => AppointmentReminder, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'appointment_reminder_id' })
  appointment_reminder: AppointmentReminder;

  /** Minutes before the appointment. */
  @Column({ type: 'int' })
  minutes: number;

  @Column({ type: 'int' })
  agendamento_id: number;

  @Column({ type: 'int' })
  atendentes_id: number;

  @Column({ type: 'int' })
  servicos_id: number;

  @Column({ type: 'varchar', length: 19 })
  data_hora: string;

  @Column({ type: 'varchar', length: 128 })
  servico_nome: string;

  @Column({ type: 'varchar', length: 128 })
  atendente_nome: string;

  /** Null if the calendar hides names. */
  @Column({ type: 'varchar', length: 128, nullable: true })
  nome: string | null;

  @Column({ type: 'varchar', length: 32, nullable: true })
  telefone: string | null;

  /** RFC 3339, with the zone's offset. */
  @Column({ type: 'varchar', length: 32 })
  starts: string;

  @Column({ type: 'varchar', length: 8 })
  language: string;
}
