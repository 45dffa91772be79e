import { CreationTime, listQuery, RECORD_ID, RecordField, refersTo, times } from 'frontdesk';

export class DueAppointmentQuery extends listQuery({
  filters: { appointment_reminder_id: refersTo(RECORD_ID), ...times(false) },
  orderby: ['datetime'],
}) {}

export class DueAppointmentRecord {
  @RecordField({ type: 'integer', example: 12 })
  id: number;

  @RecordField({ type: 'integer', example: 3 })
  appointment_reminder_id: number;

  @RecordField({ type: 'integer', example: 60, description: 'How long before the appointment the reminder was due.' })
  minutes: number;

  @RecordField({ type: 'string', example: '2026-11-21T14:30:00-03:00', description: 'RFC 3339.' })
  starts: string;

  @RecordField({ type: 'integer', example: 2 })
  agendamento_id: number;

  @RecordField({ type: 'string', example: 'João da Silva', description: 'Null if the calendar hides names.', nullable: true })
  nome: string | null;

  @RecordField({ type: 'string', example: '(11) 98765-4321', description: 'Null if the calendar hides names.', nullable: true })
  telefone: string | null;

  @RecordField({ type: 'string', example: '2026-11-21 14:30:00', description: 'In the zone of the calendar.' })
  data_hora: string;

  @RecordField({ type: 'integer', example: 2 })
  servicos_id: number;

  @RecordField({ type: 'string', example: 'Corte de cabelo' })
  servico_nome: string;

  @RecordField({ type: 'integer', example: 1 })
  atendentes_id: number;

  @RecordField({ type: 'string', example: 'Antônio Conceição' })
  atendente_nome: string;

  @RecordField({ type: 'string', example: 'pt-BR' })
  language: string;

  @CreationTime()
  datetime: string;
}
