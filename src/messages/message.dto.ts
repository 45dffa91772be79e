import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { type FieldType, HTTP_URL, integerIn, isWithin, lines, MOMENT, orEmpty } from '../platform/common/field-types';
import { DAY_MS } from '../platform/common/time';
import { IsHttpUrlOrEmpty, IsOneOf, rule } from '../platform/http/input/rules';
import { CreationTime, NullableTimeField, RecordField, SchemaField, TIME_SCHEMA, TimeField } from '../platform/http/record-fields';
import { contains, type ListFilter, listQuery, times } from '../platform/http/list-query';
import type { Violation } from '../platform/common/errors';
import { type DeliveryStatus, DELIVERY_STATUSES } from '../deliveries/delivery-status';
import { UNTIL, type Until } from '../deliveries/delivery.entity';
import type { FirstAcknowledgement } from './message.entity';

export const MAX_TEXT = 4_000;
export const MAX_TITLE = 200;
const MAX_HANDLERS = 100;

export const TEXT = lines(MAX_TEXT, 'The backup of 3 a.m. failed.');

export const TITLE: FieldType<string> = {
  expected: `at most ${MAX_TITLE} characters in one line, none of them a control character`,
  schema: { type: 'string', maxLength: MAX_TITLE, examples: ['Backup failed'] },
  parse: (value) => (isWithin(value, MAX_TITLE) && !/[\p{Cc}\u2028\u2029]/u.test(value) ? value : undefined),
};

export const URL_OR_EMPTY = orEmpty(HTTP_URL);

export const HANDLER_IDS: FieldType<number[]> = {
  expected: `1 to ${MAX_HANDLERS} ids of this account's enabled notification handlers, each once: comma-separated; an array of integers in JSON, or a repeated field in a form, is accepted, too`,
  takesIntegers: true,
  schema: {
    anyOf: [
      { type: 'string', pattern: '^\\d+(,\\d+)*$' },
      { type: 'integer', minimum: 1 },
      { type: 'array', items: { type: 'integer', minimum: 1 } },
    ],
    examples: ['1,2', [1, 2]],
  },
  parse(value) {
    const ids = /^\d{1,16}(,\d{1,16})*$/.test(value) ? value.split(',').map(Number) : [];
    return ids.length >= 1 && ids.length <= MAX_HANDLERS && new Set(ids).size === ids.length ? ids : undefined;
  },
};

const MAX_DEDUP_SECONDS = 86_400;
export const DEFAULT_DEDUP_SECONDS = 300;
const MAX_DEDUP_KEY = 255;
const MAX_DAYS_AHEAD = 90;

const DEDUP_KEY: FieldType<string> = {
  expected: `1 to ${MAX_DEDUP_KEY} visible ASCII characters, without a space`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_DEDUP_KEY, pattern: '^[!-~]+$', examples: ['backup-nightly'] },
  parse: (value) => (value.length <= MAX_DEDUP_KEY && /^[!-~]+$/.test(value) ? value : undefined),
};

const DEDUP_SECONDS = integerIn(1, MAX_DEDUP_SECONDS, DEFAULT_DEDUP_SECONDS);

/** Handlers to deliver through, `seconds` after the first step. */
export interface LaterStep {
  seconds: number;
  handlerIds: number[];
}

const MAX_STEPS = 5;
const [MIN_STEP_SECONDS, MAX_STEP_SECONDS] = [10, 604_800];

export const STEPS: FieldType<LaterStep[]> = {
  expected:
    `1 to ${MAX_STEPS} steps with semicolons between, such as 300:4,5;900:6: each the seconds after the beginning, from ` +
    `${MIN_STEP_SECONDS} to ${MAX_STEP_SECONDS} and rising, a colon, and handlers as in handler_ids; at most 1,000 deliveries in all`,
  schema: { type: 'string', pattern: '^\\d+:\\d+(,\\d+)*(;\\d+:\\d+(,\\d+)*){0,4}$', examples: ['300:4,5;900:6'] },
  parse(value) {
    const steps = value.split(';').map(parseStep);
    const isRising = steps.every((step, index) => step && step.seconds > (steps[index - 1]?.seconds ?? 0));
    return isRising && steps.length <= MAX_STEPS ? (steps as LaterStep[]) : undefined;
  },
};

function parseStep(text: string): LaterStep | undefined {
  const [, digits, ids] = /^(\d{1,7}):(.*)$/.exec(text) ?? [];
  const [seconds, handlerIds] = [Number(digits), ids === undefined ? undefined : HANDLER_IDS.parse(ids)];
  return handlerIds && seconds >= MIN_STEP_SECONDS && seconds <= MAX_STEP_SECONDS ? { seconds, handlerIds } : undefined;
}

const IsMessageText = rule('isMessageText', TEXT);
const IsTitle = rule('isTitle', TITLE);
export const IsHandlerIds = rule('isHandlerIds', HANDLER_IDS);
const IsSteps = rule('isSteps', STEPS);
const IsMoment = rule('isMoment', MOMENT);
const IsDedupKey = rule('isDedupKey', DEDUP_KEY);
const IsDedupSeconds = rule('isDedupSeconds', DEDUP_SECONDS);

export class CreateMessage {
  @IsMessageText('Text of the message.')
  text: string;

  @IsOptional()
  @IsTitle('Heading, or the subject of a mail.')
  title?: string;

  @IsOptional()
  @IsHttpUrlOrEmpty('Link below the text.')
  url?: string;

  @IsOptional()
  @IsHandlerIds('Handlers to deliver through; defaults to every enabled handler of the account.')
  handler_ids?: number[];

  @IsOptional()
  @IsMoment(`When to send the message, at most ${MAX_DAYS_AHEAD} days ahead; a time in the past means now.`)
  send_at?: Date;

  @IsOptional()
  @IsMoment('When to give up: deliveries that are pending at that time fail. Must be in the future, and after `send_at`.')
  expires_at?: Date;

  @IsOptional()
  @IsSteps('More handlers, with the seconds after which they get the message unless `until` has ended its wait.')
  steps?: LaterStep[];

  @IsOptional()
  @IsOneOf(
    UNTIL,
    'What cancels the deliveries that are still pending. `delivered`: a delivery of an earlier step got through; needs `steps`. ' +
      '`acknowledged`: somebody used the link in a delivery, or `POST /api/messages/{message_id}/acknowledgement`; the default with `steps`.',
  )
  until?: Until;

  @IsOptional()
  @IsDedupKey('A second message with this key within `dedup_seconds` is not created: 200 with the id of the first.')
  dedup_key?: string;

  @IsOptional()
  @IsDedupSeconds(`How long the key applies after the first message; ${DEFAULT_DEDUP_SECONDS} by default. Needs a \`dedup_key\`.`)
  dedup_seconds?: number;
}

/** Violations that depend on other fields or the current time. Ignores fields that are invalid by themselves. */
export function violationsIn(message: Partial<CreateMessage>, now: number): Violation[] {
  const { send_at, expires_at, steps, until, dedup_key, dedup_seconds } = message;
  const sendAt = send_at instanceof Date ? Math.max(now, send_at.getTime()) : now;
  const expiresTooEarly = expires_at instanceof Date && expires_at.getTime() <= sendAt;
  const rules: [name: string, isBroken: boolean, detail: string][] = [
    ['send_at', sendAt > now + MAX_DAYS_AHEAD * DAY_MS, `send_at must be at most ${MAX_DAYS_AHEAD} days ahead.`],
    ['expires_at', expiresTooEarly, 'expires_at must be in the future, and after send_at.'],
    ['until', until === 'delivered' && steps === undefined, 'until=delivered needs steps.'],
    ['dedup_seconds', dedup_seconds !== undefined && dedup_key === undefined, 'dedup_seconds needs a dedup_key.'],
  ];
  const broken = rules.filter(([, isBroken]) => isBroken);
  return broken.map(([name, , detail]) => ({ code: 'invalid_parameter', detail, source: { in: 'form', name } }));
}

const TEXT_FILTER: ListFilter = {
  ...contains('content_folded', 'backup'),
  description: 'Only messages with this in their title or text, ignoring case and accents.',
};

/** All time filters compare the creation time: messages are never changed, and have no `last_datetime`. */
export class MessageQuery extends listQuery({ filters: { text: TEXT_FILTER, ...times(false) }, orderby: ['datetime'] }) {}

export type DeliveryCounts = Record<DeliveryStatus, number>;

/** How many of a message's pending deliveries were ended. */
class EndedDeliveryCounts {
  @RecordField({ type: 'integer', example: 2, description: 'Deliveries that this request cancelled.' })
  cancelled: number;

  @RecordField({
    type: 'integer',
    example: 1,
    description: 'Deliveries with an attempt in progress, which is the last: if it fails, the delivery is cancelled.',
  })
  at_work: number;
}

/** How many of a message's deliveries were cancelled now, had an attempt in progress, or were already finished. */
export class CancellationCounts extends EndedDeliveryCounts {
  @RecordField({ type: 'integer', example: 0, description: 'Deliveries that were already delivered, failed or cancelled.' })
  finished: number;
}

class AcknowledgementTime {
  @TimeField('When somebody first acknowledged the message, in UTC.')
  acknowledged: string;
}

/** How many deliveries an acknowledgement has ended: none if it wasn't the first. IntersectionType keeps the response's field order. */
export class Acknowledgement extends IntersectionType(AcknowledgementTime, EndedDeliveryCounts) {}

export class MessageRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;

  @RecordField({ type: 'string', example: 'Backup failed', description: 'Empty when not set.' })
  title: string;

  @RecordField({ type: 'string', example: 'The backup of 3 a.m. failed.' })
  text: string;

  @RecordField({ type: 'string', example: 'https://status.example.com/backups', description: 'Empty when not set.' })
  url: string;

  @ApiProperty({
    type: 'object',
    required: [...DELIVERY_STATUSES],
    description: 'Number of deliveries, by status.',
    additionalProperties: false,
    properties: Object.fromEntries(DELIVERY_STATUSES.map((status) => [status, { type: 'integer' }])),
    examples: [{ pending: 1, delivered: 2, failed: 0, cancelled: 0 }],
  })
  deliveries: DeliveryCounts;

  @NullableTimeField('When the message is sent, in UTC; null if it was sent at once.', null)
  send_at: string | null;

  @NullableTimeField('When the message expires, in UTC; null if never.', null)
  expires_at: string | null;

  @RecordField({
    type: 'string',
    example: null,
    description: 'What the message waits for; null if it does not wait.',
    enum: [...UNTIL],
    nullable: true,
  })
  until: Until | null;

  @SchemaField({
    type: 'object',
    nullable: true,
    required: ['datetime', 'delivery_id'],
    properties: {
      datetime: { ...TIME_SCHEMA, description: 'In UTC.' },
      delivery_id: {
        type: 'integer',
        nullable: true,
        description: 'The delivery whose link was used; null for a key or the command line.',
      },
    },
    examples: [null],
    description: 'The first acknowledgement; null until there is one.',
  })
  acknowledged: FirstAcknowledgement | null;

  @RecordField({ type: 'integer', example: 0, description: 'Later messages with the same `dedup_key`, which were not created.' })
  repeats: number;

  @CreationTime()
  datetime: string;
}
