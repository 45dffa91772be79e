import { ApiProperty } from '@nestjs/swagger';
import { type FieldType, oneOf } from '../platform/common/field-types';
import { CreationTime, NullableTimeField, RecordField, SchemaField, TIME_SCHEMA, TimeField } from '../platform/http/record-fields';
import { equals, filterForm, listQuery, refersTo, times } from '../platform/http/list-query';
import { type Outcome, DELIVERY_OUTCOMES } from './channels/channel';
import { type DeliveryStatus, DELIVERY_STATUSES } from './delivery-status';
import { type Receipt, RECEIPT_STATUSES } from './channels/twilio-report';

/** Accepts any digits, as paths do: an unknown id matches no record. */
const ANY_ID: FieldType<number> = {
  expected: 'an id, in digits',
  schema: { type: 'integer', minimum: 0, examples: [7] },
  parse: (value) => (/^\d+$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : undefined),
};

const STEP_NUMBER: FieldType<number> = {
  ...ANY_ID,
  expected: 'the number of a step, in digits',
  schema: { ...ANY_ID.schema, examples: [0] },
};

export const DELIVERY_FILTERS = {
  message_id: refersTo(ANY_ID),
  handler_id: refersTo(ANY_ID),
  step: equals(STEP_NUMBER),
  status: equals(oneOf(DELIVERY_STATUSES, 'failed')),
  outcome: equals(oneOf(DELIVERY_OUTCOMES, 'timeout')),
  ...times(),
};

export class DeliveryQuery extends listQuery({ filters: DELIVERY_FILTERS, orderby: ['datetime'] }) {}

export class RetryDeliveries extends filterForm(DELIVERY_FILTERS) {}

export class RetryCounts {
  @RecordField({ type: 'integer', example: 12, description: 'Deliveries that were made due again; at most 1,000.' })
  retried: number;

  @RecordField({
    type: 'integer',
    example: 1,
    description:
      'Matching deliveries that can’t be retried: they have expired or are no longer needed, or their handler is deleted, disabled or of ' +
      'another type now. At most 1,000 together with `retried`.',
  })
  skipped: number;
}

export class AttemptRecord {
  @RecordField({
    type: 'integer',
    example: 1,
    description: 'Counts from 1. The entry for an expiry has the number of the last attempt, or 0 if there was none.',
  })
  number: number;

  @TimeField('When the attempt started, in UTC.')
  datetime: string;

  @RecordField({ type: 'integer', example: 84, description: 'Duration, in milliseconds.' })
  duration_ms: number;

  @RecordField({
    type: 'string',
    example: 'delivered',
    description:
      'How the attempt ended. `operator_error`: the operator of this service has to act. `internal_error`: a bug in this service, which is logged.',
    enum: [...DELIVERY_OUTCOMES],
  })
  outcome: Outcome;

  @ApiProperty({ type: 'integer', nullable: true, examples: [200], description: 'The receiver’s status code; null without an answer.' })
  status: number | null;

  @RecordField({ type: 'string', example: 'The receiver answered 200.', description: 'What happened, in a sentence.' })
  detail: string;
}

export class DeliveryRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;

  @RecordField({ type: 'integer', example: 3 })
  message_id: number;

  @RecordField({ type: 'integer', example: 2, description: 'The handler may have been deleted since.' })
  handler_id: number;

  @RecordField({ type: 'integer', example: 0, description: '0 for the first step, which goes to `handler_ids`; later steps count from 1.' })
  step: number;

  @RecordField({ type: 'string', example: 'webhook', description: 'The handler’s type when the message was created.' })
  type: string;

  @RecordField({ type: 'string', example: 'delivered', enum: [...DELIVERY_STATUSES] })
  status: DeliveryStatus;

  @RecordField({
    type: 'string',
    example: 'delivered',
    description: 'Outcome of the last attempt that has ended; null before the first.',
    enum: [...DELIVERY_OUTCOMES],
    nullable: true,
  })
  outcome: Outcome | null;

  @RecordField({ type: 'integer', example: 1, description: 'Number of attempts so far.' })
  attempts: number;

  @NullableTimeField('When the next attempt is due, in UTC; null once finished.', null)
  next_attempt: string | null;

  @SchemaField({
    type: 'object',
    nullable: true,
    required: ['status', 'code', 'datetime'],
    properties: {
      status: { type: 'string', enum: [...RECEIPT_STATUSES], description: 'The most advanced status reported so far.' },
      code: { type: 'integer', nullable: true, description: 'Twilio’s error code.' },
      datetime: { ...TIME_SCHEMA, description: 'When Twilio reported it, in UTC.' },
    },
    examples: [null],
    description: 'Twilio’s status of a text message, a call or a WhatsApp message; null before the first report, and for other types.',
  })
  receipt: Receipt | null;

  @NullableTimeField('Time of the last change, in UTC; null before the first.', '2026-11-21 14:05:10')
  last_datetime: string | null;

  @CreationTime()
  datetime: string;
}

export class DeliveryWithLog extends DeliveryRecord {
  @ApiProperty({ type: [AttemptRecord], description: 'The attempts that have ended, newest last.' })
  log: AttemptRecord[];
}
