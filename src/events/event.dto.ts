import { applyDecorators } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { type FieldType, integerIn } from '../platform/common/field-types';
import { IsOneOf, rule } from '../platform/http/input/rules';
import { CreationTime } from '../platform/http/record-fields';
import { Paginated } from '../platform/http/routes';
import { CURSOR, TYPES } from './event-fields';

const MAX_LIMIT = 1_000;
const MAX_WAIT_S = 30;

function orEmptyList(fieldType: FieldType<string[]>): FieldType<string[]> {
  return { ...fieldType, expected: `empty, or ${fieldType.expected}`, parse: (value) => (value === '' ? [] : fieldType.parse(value)) };
}

const IsCursor = rule('isCursor', CURSOR);
const IsEventTypes = rule('isEventTypes', TYPES);
const IsEventTypesOrEmpty = rule('isEventTypesOrEmpty', orEmptyList(TYPES));
const IsEventLimit = rule('isEventLimit', integerIn(1, MAX_LIMIT, 100));
const IsWait = rule('isWait', integerIn(0, MAX_WAIT_S, 30));

export class EventQuery {
  @IsOptional()
  @IsCursor('Where to begin: at the oldest event, after the latest one, or after a cursor.', { default: 'oldest' })
  after: string = 'oldest';

  @IsOptional()
  @IsEventTypes('Only these types; by default, all that the key may see.')
  types?: string[];

  @IsOptional()
  @IsOneOf(['record'], 'Adds `current` to each event.')
  include?: 'record';

  @IsOptional()
  @IsEventLimit('Maximum number of events.', { default: 100 })
  limit: number = 100;

  @IsOptional()
  @IsWait('Seconds to wait for an event if there is none.', { default: 0 })
  wait: number = 0;
}

/** In the OpenAPI document, events are a union by `type`: see `event-schemas.ts`. */
export class EventRecord {
  @ApiProperty({ type: 'string', pattern: '^evt_[0-9a-f]+_\\d+$', examples: ['evt_3f9c1a52e0_4711'], description: 'Never reused.' })
  id: string;

  @ApiProperty({ type: 'string', examples: ['domain.updated'] })
  type: string;

  @CreationTime()
  datetime: string;

  @ApiProperty({ type: 'object', additionalProperties: true })
  record: { type: string; id: number } | null;

  @ApiProperty({
    type: 'object',
    required: ['type', 'id'],
    properties: {
      type: { type: 'string', enum: ['key', 'operator', 'service'] },
      id: { type: 'integer', nullable: true, description: 'Id of the key; otherwise null.' },
    },
    description: 'Who did it: a key, the operator on the command line, or the service by itself.',
    examples: [{ type: 'key', id: 3 }],
  })
  actor: { type: 'key' | 'operator' | 'service'; id: number | null };

  @ApiProperty({ type: 'object', additionalProperties: true })
  data: Readonly<Record<string, unknown>>;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  current?: object | null;
}

class EventPageMeta {
  @ApiProperty({ type: 'string', examples: ['M2Y5YzFhNTJlMC40NzEyLjAu'], description: 'Cursor for `after`.' })
  next: string;

  @ApiProperty({ type: 'boolean', examples: [false], description: 'Whether there are more events after `next`.' })
  has_more: boolean;
}

export class SetHandlerEvents {
  @IsOptional()
  @IsEventTypesOrEmpty('Types of events to notify the handler of. Empty, the default, means none.')
  types?: string[];
}

export class HandlerEventsRecord {
  @ApiProperty({ type: [String], examples: [['domain.*', 'delivery.failed']], description: 'As set by the client.' })
  types: string[];
}

const EXAMPLE: EventRecord = {
  id: 'evt_3f9c1a52e0_4711',
  type: 'domain.updated',
  datetime: '2026-11-21 14:05:09',
  record: { type: 'domain', id: 7 },
  actor: { type: 'key', id: 3 },
  data: { changed: ['custom_index_url'] },
};

/** A page of events: the handler returns a `CursorPage`, which becomes the envelope. */
export function EventPageResponse() {
  const schema = {
    type: 'object',
    required: ['data', 'meta'],
    properties: {
      data: { type: 'array', items: { $ref: getSchemaPath(EventRecord) }, examples: [[EXAMPLE]] },
      meta: { $ref: getSchemaPath(EventPageMeta) },
    },
  };
  return applyDecorators(
    Paginated(),
    ApiExtraModels(EventRecord, EventPageMeta),
    ApiResponse({ status: 200, description: 'A page of events.', schema }),
  );
}
