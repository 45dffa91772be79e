import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ICalCalendar, ICalEvent, ICalEventStatus } from 'ical-generator';
import type { ShownAppointment } from '../appointments/shown-appointments';
import { blockOf } from '../zones';
import type { Calendar } from './calendars.service';
import type { Language } from './calendar-feed.dto';

/** How often calendars are asked to read it again, in seconds. */
const REFRESH = 3_600;
/** Appointments written before other requests have a turn. */
const BATCH = 250;
const MAX_LINE_BYTES = 75; // RFC 5545, 3.1

const WORDS: Readonly<Record<Language, { attendant: string; telephone: string }>> = {
  en: { attendant: 'With', telephone: 'Telephone' },
  'pt-BR': { attendant: 'Com', telephone: 'Telefone' },
};

/** RFC 5545, in pieces: a calendar of 10,000 appointments is never in memory as a whole. */
export async function* icalendar(calendar: Calendar, appointments: readonly ShownAppointment[]): AsyncGenerator<string> {
  const { name, timezone, language } = calendar;
  const generator = (zone: string) => blockOf(zone)!;
  const empty = new ICalCalendar({ name, timezone: { name: timezone, generator }, ttl: REFRESH });
  empty.prodId({ company: 'frontdesk', product: 'calendar', language: language.slice(0, 2).toUpperCase() });
  const END = 'END:VCALENDAR';
  yield folded(empty.toString().replace(END, ''));
  const ofUtc = new ICalCalendar(); // one with a zone would write DTSTAMP in it, which must be in UTC
  for (let start = 0; start < appointments.length; start += BATCH) {
    const events = appointments.slice(start, start + BATCH).map((one) => eventOf(one, calendar, ofUtc).toString());
    yield folded(events.join(''));
    await yieldToEventLoop();
  }
  yield `${END}\r\n`;
}

function eventOf(appointment: ShownAppointment, { duration, timezone, language, hidesNames }: Calendar, calendar: ICalCalendar): ICalEvent {
  const { uid, sequence, data_hora, nome, telefone, servico_nome, atendente_nome, modified, isCancelled } = appointment;
  const { attendant, telephone } = WORDS[language];
  const person = hidesNames ? '' : nome;
  const changed = new Date(`${modified.replace(' ', 'T')}Z`);
  return new ICalEvent(
    {
      ...{ id: uid, sequence, stamp: changed, lastModified: changed, timezone },
      ...{ start: wallTime(data_hora), end: wallTime(data_hora, duration) },
      summary: person ? `${servico_nome}: ${person}` : servico_nome,
      description: [`${attendant} ${atendente_nome}`, ...(person && telefone ? [`${telephone}: ${telefone}`] : [])].join('\n'),
      status: isCancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    },
    calendar,
  );
}

/** As ical-generator takes it: without an offset, so that it is written as it is. */
function wallTime(data_hora: string, minutesLater = 0): string {
  const time = new Date(`${data_hora.replace(' ', 'T')}Z`);
  return new Date(time.getTime() + minutesLater * 60_000).toISOString().slice(0, 19);
}

/** ical-generator's own folding takes four times as long as all the rest. */
function folded(text: string): string {
  const lines = text.replaceAll('\r\n ', '').split('\r\n');
  return lines.map((line) => (Buffer.byteLength(line) > MAX_LINE_BYTES ? fold(line) : line)).join('\r\n');
}

function fold(line: string): string {
  let [result, bytes] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > MAX_LINE_BYTES) [result, bytes] = [`${result}\r\n `, 1];
    result += character;
    bytes += size;
  }
  return result;
}
