import { ICalCalendar, ICalEvent, ICalEventStatus } from 'ical-generator';
import type { FeedAppointment } from '../appointments/feed-appointments';
import { zoneBlock } from '../zones';
import type { Calendar } from './calendars.service';
import type { Language } from './calendar-feed.dto';

/** Suggested interval between a client's refreshes. */
const REFRESH_SECONDS = 3_600;
const MAX_LINE_BYTES = 75; // RFC 5545, 3.1

const LABELS: Readonly<Record<Language, { attendant: string; telephone: string }>> = {
  en: { attendant: 'With', telephone: 'Telephone' },
  'pt-BR': { attendant: 'Com', telephone: 'Telefone' },
};

/** Writes a calendar (RFC 5545) in pieces, so that neither its text nor its appointments are in memory as a whole. */
export async function* icalendar(calendar: Calendar, batches: AsyncIterable<readonly FeedAppointment[]>): AsyncGenerator<string> {
  const { name, timezone, language } = calendar;
  const empty = new ICalCalendar({ name: stripControls(name), timezone: { name: timezone, generator: zoneBlock }, ttl: REFRESH_SECONDS });
  empty.prodId({ company: 'frontdesk', product: 'calendar', language: language.slice(0, 2).toUpperCase() });
  const END = 'END:VCALENDAR';
  yield foldLines(empty.toString().replace(END, ''));
  // One event is reused, since creating one takes as long as writing it. Its calendar has no zone: DTSTAMP, in UTC, would be written in it.
  const event = new ICalEvent({ start: new Date(0), timezone }, new ICalCalendar());
  for await (const appointments of batches) yield foldLines(appointments.map((one) => fillEvent(event, one, calendar).toString()).join(''));
  yield `${END}\r\n`;
}

function fillEvent(event: ICalEvent, appointment: FeedAppointment, { duration, language, hidesNames }: Calendar): ICalEvent {
  const { uid, sequence, data_hora, nome, telefone, servico_nome, atendente_nome, modified, isCancelled } = appointment;
  const { attendant, telephone } = LABELS[language];
  const person = hidesNames ? '' : nome;
  const lines = [`${attendant} ${atendente_nome}`, ...(person && telefone ? [`${telephone}: ${telefone}`] : [])];
  const changed = new Date(`${modified.replace(' ', 'T')}Z`);
  const end = wallTimeAfter(data_hora, duration);
  event.end(null).start(data_hora.replace(' ', 'T')).end(end); // with an old end before the new start, ical-generator would swap them
  event.id(uid).sequence(sequence).stamp(changed).lastModified(changed);
  event.summary(stripControls(person ? `${servico_nome}: ${person}` : servico_nome)).description(stripControls(lines.join('\n')));
  return event.status(isCancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED);
}

/** Returns a time without an offset, which ical-generator writes unchanged. */
function wallTimeAfter(data_hora: string, minutes: number): string {
  return new Date(Date.parse(`${data_hora.replace(' ', 'T')}Z`) + minutes * 60_000).toISOString().slice(0, 19);
}

/** RFC 5545 allows no control characters, which other software may have written. */
function stripControls(text: string): string {
  return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '');
}

/** Folds lines faster: ical-generator's own folding takes four times as long as everything else. */
function foldLines(text: string): string {
  const lines = text.replaceAll('\r\n ', '').split('\r\n');
  return lines.map((line) => (Buffer.byteLength(line) > MAX_LINE_BYTES ? foldLine(line) : line)).join('\r\n');
}

function foldLine(line: string): string {
  let [result, bytes] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > MAX_LINE_BYTES) [result, bytes] = [`${result}\r\n `, 1];
    result += character;
    bytes += size;
  }
  return result;
}
