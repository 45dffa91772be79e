import { ApiProperty } from '@nestjs/swagger';
import { type FieldType, HTTP_URL, isWithin, orEmpty } from '../../common/field-types';
import { Field, OptionalField } from '../../http/input/fields';
import { CreationTime, RecordField } from '../../http/openapi/record-schema';
import { listQuery, times } from '../../http/pagination';
import { type DeliveryStatus, STATUSES } from '../delivery.entity';

export const MAX_TEXT = 4_000;
export const MAX_TITLE = 200;
const MAX_HANDLERS = 100;

/** May have several lines; CR LF and CR become LF. */
export const TEXT: FieldType<string> = {
  expected: `1 to ${MAX_TEXT} characters; line feeds and tabs are the only control characters accepted`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_TEXT, examples: ['The backup of 3 a.m. failed.'] },
  parse(value) {
    const lines = value.replace(/\r\n?/g, '\n');
    return lines !== '' && isWithin(lines, MAX_TEXT) && !/[^\P{Cc}\n\t]/u.test(lines) ? lines : undefined;
  },
};

export const TITLE: FieldType<string> = {
  expected: `at most ${MAX_TITLE} characters in one line, none of them a control character`,
  schema: { type: 'string', maxLength: MAX_TITLE, examples: ['Backup failed'] },
  parse: (value) => (isWithin(value, MAX_TITLE) && !/[\p{Cc}\u2028\u2029]/u.test(value) ? value : undefined),
};

export const URL_OR_EMPTY = orEmpty(HTTP_URL);

export const HANDLER_IDS: FieldType<number[]> = {
  expected: `1 to ${MAX_HANDLERS} ids of this account's enabled notification handlers, comma-separated, each once`,
  schema: { type: 'string', pattern: '^\\d+(,\\d+)*$', examples: ['1,2'] },
  parse(value) {
    const ids = /^\d{1,16}(,\d{1,16})*$/.test(value) ? value.split(',').map(Number) : [];
    return ids.length >= 1 && ids.length <= MAX_HANDLERS && new Set(ids).size === ids.length ? ids : undefined;
  },
};

export class CreateMessage {
  @Field(TEXT, 'Text of the message.')
  text: string;

  @OptionalField(TITLE, 'Heading, or the subject of a mail.')
  title?: string;

  @OptionalField(URL_OR_EMPTY, 'Link below the text.')
  url?: string;

  @OptionalField(HANDLER_IDS, 'Handlers to deliver through; defaults to every enabled handler of the account.')
  handler_ids?: number[];
}

/** Messages are never changed. */
export class MessageQuery extends listQuery({ filters: times(false), orderby: ['datetime'] }) {}

export type DeliveryCounts = Record<DeliveryStatus, number>;

export class MessageRecord {
  @RecordField('integer', 7)
  id: number;

  @RecordField('string', 'Backup failed', 'Empty when not set.')
  title: string;

  @RecordField('string', 'The backup of 3 a.m. failed.')
  text: string;

  @RecordField('string', 'https://status.example.com/backups', 'Empty when not set.')
  url: string;

  @ApiProperty({
    ...{ type: 'object', required: [...STATUSES], description: 'Number of deliveries, by status.', additionalProperties: false },
    properties: Object.fromEntries(STATUSES.map((status) => [status, { type: 'integer' }])),
    examples: [{ pending: 1, delivered: 2, failed: 0, cancelled: 0 }],
  })
  deliveries: DeliveryCounts;

  @CreationTime()
  datetime: string;
}
