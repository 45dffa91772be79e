import type { DescribedEvent, EventText } from 'frontdesk';
import type { Language } from '../feeds/calendar-feed.dto';
import type { DueAppointmentRecord } from './due-appointment.dto';

interface Words {
  title: string;
  attendant: string;
  telephone: string;
  day: string;
  hour: string;
  minute: string;
  in: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: { title: 'Appointment', attendant: 'with', telephone: 'Telephone', day: 'day', hour: 'hour', minute: 'minute', in: 'in' },
  'pt-BR': { title: 'Agendamento', attendant: 'com', telephone: 'Telefone', day: 'dia', hour: 'hora', minute: 'minuto', in: 'em' },
};

/** The text that handlers other than webhooks send. */
export function describeDueAppointment(_: DescribedEvent, due: DueAppointmentRecord | null): EventText | undefined {
  if (!due) return undefined;
  const words = WORDS[due.language as Language];
  const person = due.nome === null ? '' : `${due.nome}, `;
  const telephone = due.telefone ? `\n${words.telephone}: ${due.telefone}` : '';
  return {
    title: `${words.title} ${words.in} ${formatDuration(minutesLeft(due), words)}`,
    text: `${person}${due.servico_nome} ${words.attendant} ${due.atendente_nome}: ${formatTime(due)}.${telephone}`,
  };
}

/** Minutes until the appointment: fewer than the reminder's if it was booked later than that. */
function minutesLeft({ minutes, starts, datetime }: DueAppointmentRecord): number {
  const left = Date.parse(starts) - Date.parse(`${datetime.replace(' ', 'T')}Z`);
  return Math.min(minutes, Math.ceil(left / 60_000));
}

function formatDuration(minutes: number, words: Words): string {
  const [size, unit] = minutes % 1_440 === 0 ? [1_440, words.day] : minutes % 60 === 0 ? [60, words.hour] : [1, words.minute];
  return `${minutes / size} ${unit}${minutes === size ? '' : 's'}`;
}

/** Formats the wall time, independent of this machine's zone. */
function formatTime({ data_hora, language }: DueAppointmentRecord): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' });
  return format.format(new Date(`${data_hora.replace(' ', 'T')}Z`));
}
