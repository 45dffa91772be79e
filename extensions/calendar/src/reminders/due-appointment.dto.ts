import { CreationTime, listQuery, RECORD_ID, RecordField, refersTo, times } from 'frontdesk';

export class DueAppointmentQuery extends listQuery({
  filters: { appointment_reminder_id: refersTo(RECORD_ID), ...times(false) },
  orderby: ['datetime'],
}) {}

export class DueAppointmentRecord {
  @RecordField('integer', 12)
  id: number;

  @RecordField('integer', 3)
  appointment_reminder_id: number;

  @RecordField('integer', 60, 'How long before the appointment it was due.')
  minutes: number;

  @RecordField('string', '2026-11-21T14:30:00-03:00', 'RFC 3339.')
  starts: string;

  @RecordField('integer', 2)
  agendamento_id: number;

  @RecordField('string', 'João da Silva', 'Null if the calendar hides names.', { nullable: true })
  nome: string | null;

  @RecordField('string', '(11) 98765-4321', 'Null if the calendar hides names.', { nullable: true })
  telefone: string | null;

  @RecordField('string', '2026-11-21 14:30:00', 'In the zone of the calendar.')
  data_hora: string;

  @RecordField('integer', 2)
  servicos_id: number;

  @RecordField('string', 'Corte de cabelo')
  servico_nome: string;

  @RecordField('integer', 1)
  atendentes_id: number;

  @RecordField('string', 'Antônio Conceição')
  atendente_nome: string;

  @RecordField('string', 'pt-BR')
  language: string;

  @CreationTime()
  datetime: string;
}
