import { IsOptional } from 'class-validator';
import {
  contains,
  CreationTime,
  equals,
  type FieldType,
  IsFlag,
  IsOneOf,
  IsRecordId,
  IsText,
  listQuery,
  oneOf,
  RECORD_ID,
  RecordField,
  rule,
  times,
  UpdateTime,
} from 'frontdesk';
import { isTimeZone } from '../zones';

export const LANGUAGES = ['en', 'pt-BR'] as const;
export type Language = (typeof LANGUAGES)[number];

const MAX_MINUTES = 24 * 60;

const MINUTES: FieldType<number> = {
  expected: `minutes, from 1 to ${MAX_MINUTES}, in digits`,
  schema: { type: 'integer', minimum: 1, maximum: MAX_MINUTES, examples: [30] },
  parse: (value) => (/^[1-9]\d{0,3}$/.test(value) && Number(value) <= MAX_MINUTES ? Number(value) : undefined),
};

const TIME_ZONE: FieldType<string> = {
  expected: 'the IANA name of a time zone, such as America/Sao_Paulo',
  schema: { type: 'string', maxLength: 64, examples: ['America/Sao_Paulo'] },
  parse: (value) => (isTimeZone(value) ? value : undefined),
};

const IsMinutes = rule('isMinutes', MINUTES);
const IsTimeZone = rule('isTimeZone', TIME_ZONE);

export class CreateCalendarFeed {
  @IsText(128, 'Shown by calendars as the title.', { example: 'Salon' })
  name: string;

  @IsOptional()
  @IsRecordId('Only the appointments of this attendant.')
  atendente_id?: number;

  @IsOptional()
  @IsRecordId('Only the appointments of this service.')
  servico_id?: number;

  @IsOptional()
  @IsMinutes('How long an appointment takes, since `data_hora` has no end.', { default: 30 })
  duration?: number;

  @IsTimeZone('Time zone of `data_hora`.')
  timezone: string;

  @IsOptional()
  @IsOneOf(LANGUAGES, 'Language of the calendar, and of messages about its appointments.', { default: 'en' })
  language?: Language;

  @IsOptional()
  @IsFlag('Shows only the service, without the customer’s name and telephone.', { default: false })
  hide_names?: boolean;
}

export class CalendarFeedQuery extends listQuery({
  filters: {
    name: contains('name_folded', 'salon'),
    atendente_id: equals(RECORD_ID),
    servico_id: equals(RECORD_ID),
    language: equals(oneOf(LANGUAGES, 'en')),
    ...times(),
  },
  orderby: ['name', 'datetime'],
}) {}

export class CalendarFeedRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;

  @RecordField({ type: 'string', example: 'Salon' })
  name: string;

  @RecordField({ type: 'integer', example: null, description: 'Null for all.', nullable: true })
  atendente_id: number | null;

  @RecordField({ type: 'integer', example: null, description: 'Null for all.', nullable: true })
  servico_id: number | null;

  @RecordField({ type: 'integer', example: 30, description: 'Minutes.' })
  duration: number;

  @RecordField({ type: 'string', example: 'America/Sao_Paulo' })
  timezone: string;

  @RecordField({ type: 'string', example: 'pt-BR' })
  language: string;

  @RecordField({ type: 'boolean', example: false })
  hide_names: boolean;

  @UpdateTime()
  last_datetime: string | null;

  @CreationTime()
  datetime: string;
}

export class NewCalendarFeed {
  @RecordField({ type: 'integer', example: 7 })
  id: number;

  @RecordField({
    type: 'string',
    example: 'https://frontdesk.example.com/calendars/….ics',
    description: 'The address, which can’t be read again; null for a repeated Idempotency-Key.',
    nullable: true,
  })
  url: string | null;
}
