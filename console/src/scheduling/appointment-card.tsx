import { CallerText } from '../language/caller-text';
import { formatTimeOfDay } from './days';
import type { Appointment } from './scheduling-reads';

/** One appointment of a calendar. */
export function AppointmentCard({ appointment, hasPhone = false }: { appointment: Appointment; hasPhone?: boolean }) {
  const { nome, telefone, data_hora, servico_nome, atendente_nome } = appointment;
  return (
    <li class="appointment">
      <time dateTime={data_hora.replace(' ', 'T')}>{formatTimeOfDay(data_hora)}</time>
      <strong>
        <CallerText text={nome} />
      </strong>
      <CallerText text={servico_nome} />
      <span class="muted">
        <CallerText text={atendente_nome} />
      </span>
      {hasPhone && <Phone number={telefone} />}
    </li>
  );
}

export function Phone({ number }: { number: string }) {
  return <a href={`tel:${number.replace(/[^\d+]/g, '')}`}>{number}</a>;
}
