import { IsOptional } from 'class-validator';
import { CreationTime, type FieldType, IsRecordId, listQuery, RECORD_ID, RecordField, refersTo, rule, times, UpdateTime } from 'frontdesk';

const MAX_TIMES = 5;
/** The job runs every minute, and may be late. */
const MIN_MINUTES = 5;
const MAX_MINUTES = 30 * 24 * 60;
const UNITS: Readonly<Record<string, number>> = { m: 1, h: 60, d: 24 * 60 };

/** Parses a time such as `24h` to minutes; NaN if it is malformed. */
export function parseMinutes(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  return Number(count) * UNITS[unit];
}

const TIMES_BEFORE: FieldType<string> = {
  expected: `up to ${MAX_TIMES} different times from 5m to 30d, separated by semicolons, each a number and a unit (m, h or d), such as 24h;1h`,
  schema: { type: 'string', pattern: '^[1-9]\\d{0,4}[mhd](;[1-9]\\d{0,4}[mhd]){0,4}$', examples: ['24h;1h'] },
  parse(value) {
    const minutes = value.split(';').map(parseMinutes);
    const areValid = minutes.every((one) => one >= MIN_MINUTES && one <= MAX_MINUTES);
    return areValid && minutes.length <= MAX_TIMES && new Set(minutes).size === minutes.length ? value : undefined;
  },
};

const IsBefore = rule('isBefore', TIMES_BEFORE);

export class CreateAppointmentReminder {
  @IsRecordId('The calendar whose appointments to remind of; determines the time zone and the language.')
  calendar_feed_id: number;

  @IsBefore('How long before an appointment to remind.')
  before: string;

  @IsOptional()
  @IsRecordId('Only the appointments of this attendant.')
  atendente_id?: number;

  @IsOptional()
  @IsRecordId('Only the appointments of this service.')
  servico_id?: number;
}

export class AppointmentReminderQuery extends listQuery({
  filters: { calendar_feed_id: refersTo(RECORD_ID), ...times() },
  orderby: ['datetime'],
}) {}

/** A reminder as stored. */
export class StoredReminder {
  @RecordField({ type: 'integer', example: 3 }) id: number;
  @RecordField({ type: 'integer', example: 7 }) calendar_feed_id: number;
  @RecordField({ type: 'string', example: '24h;1h' }) times_before: string;
  @RecordField({ type: 'integer', example: null }) atendente_id: number | null;
  @RecordField({ type: 'integer', example: null }) servico_id: number | null;
  @UpdateTime() last_datetime: string | null;
  @CreationTime() datetime: string;
}

export class AppointmentReminderRecord {
  @RecordField({ type: 'integer', example: 3 })
  id: number;

  @RecordField({ type: 'integer', example: 7 })
  calendar_feed_id: number;

  @RecordField({ type: 'string', example: '24h;1h' })
  before: string;

  @RecordField({ type: 'integer', example: null, description: 'Null for all of the calendar.', nullable: true })
  atendente_id: number | null;

  @RecordField({ type: 'integer', example: null, description: 'Null for all of the calendar.', nullable: true })
  servico_id: number | null;

  @UpdateTime()
  last_datetime: string | null;

  @CreationTime()
  datetime: string;
}

export function toReminder({ times_before: before, id, calendar_feed_id, ...others }: StoredReminder): AppointmentReminderRecord {
  return { id, calendar_feed_id, before, ...others };
}
