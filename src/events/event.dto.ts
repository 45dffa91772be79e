import { applyDecorators } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { FieldType } from '../platform/common/field-types';
import { IsOneOf, rule } from '../platform/http/input/rules';
import { CreationTime } from '../platform/http/record-fields';

const MAX_LIMIT = 1_000;
const MAX_WAIT_S = 30;

function integerIn(min: number, max: number, example: number): FieldType<number> {
  return {
    expected: `an integer from ${min} to ${max}, in digits`,
    schema: { type: 'integer', minimum: min, maximum: max, examples: [example] },
    parse: (value) => (/^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined),
  };
}

/** `oldest` and `latest` have its form, too. */
export const CURSOR: FieldType<string> = {
  expected: 'oldest, latest, or a cursor: `meta.next` of an earlier response',
  schema: { type: 'string', examples: ['oldest'] },
  parse: (value) => (/^[A-Za-z0-9_-]{1,256}$/.test(value) ? value : undefined),
};

/** Types, or `<noun>.*`, each once. EventSources checks that they exist, and lists them, since extensions add types. */
export const TYPES: FieldType<string[]> = {
  expected: 'types of events with commas between them, each once: whole, or <noun>.* for all of one noun',
  schema: { type: 'string', examples: ['domain.*,delivery.failed'] },
  parse(value) {
    const types = value.split(',');
    return types.every((type) => /^[!-~]+$/.test(type)) && new Set(types).size === types.length ? types : undefined;
  },
};

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
  @IsCursor('Where to begin: after the events before the oldest, the latest, or the cursor.', { default: 'oldest' })
  after: string = 'oldest';

  @IsOptional()
  @IsEventTypes('Only these; by default all that the key may see.')
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

/** In the OpenAPI document, a union by `type`: see `event-schemas.ts`. */
export class EventRecord {
  @ApiProperty({ type: 'string', pattern: '^evt_[0-9a-f]+_\\d+$', examples: ['evt_3f9c1a52e0_4711'], description: 'Never given again.' })
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

export interface EventPage {
  data: EventRecord[];
  meta: EventPageMeta;
}

export class SetHandlerEvents {
  @IsOptional()
  @IsEventTypesOrEmpty('Types of events; empty, the default, for none.')
  types?: string[];
}

export class HandlerEventsRecord {
  @ApiProperty({ type: [String], examples: [['domain.*', 'delivery.failed']], description: 'As they were set.' })
  types: string[];
}

const EXAMPLE: EventRecord = {
  ...{ id: 'evt_3f9c1a52e0_4711', type: 'domain.updated', datetime: '2026-11-21 14:05:09' },
  ...{ record: { type: 'domain', id: 7 }, actor: { type: 'key', id: 3 }, data: { changed: ['custom_index_url'] } },
};

/** Documents a page of events. */
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
    ApiExtraModels(EventRecord, EventPageMeta),
    ApiResponse({ status: 200, description: 'A page of events.', schema }),
  );
}
