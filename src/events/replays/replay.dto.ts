import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsFlag, rule } from '../../platform/http/input/rules';
import { NullableTimeField, RecordField, TimeField } from '../../platform/http/record-fields';
import { ApiId } from '../../platform/http/routes';
import { TIME_OR_CURSOR } from '../event-fields';

const IsTimeOrCursor = rule('isTimeOrCursor', TIME_OR_CURSOR);

export class StartReplay {
  @IsTimeOrCursor('Where to start: at this time, or after this cursor.')
  from: string | Date;

  @IsOptional()
  @IsTimeOrCursor('Where to end: at this time, or before this cursor. By default, and at the latest, now.')
  until?: string | Date;

  @IsOptional()
  @IsFlag('Required for twilio, twilio_call and whatsapp, whose messages cost money.')
  confirm?: boolean;
}

/** The time range whose events are sent again. */
export class ReplayRange {
  @TimeField('Start, in UTC; for a cursor, the time of the first event after it.')
  from: string;

  @TimeField('End, in UTC.')
  until: string;
}

export class ReplayRecord extends ReplayRange {
  @RecordField({ type: 'integer', example: 4_000, description: 'Events sent so far.' })
  sent: number;

  @RecordField({ type: 'integer', example: 711, description: 'Events of the handler’s types that are still to be sent.' })
  left: number;

  @NullableTimeField('When the replay continues, in UTC, if it has used up its share of the daily limit; otherwise null.', null)
  waits_until: string | null;
}

/** Documents a route that returns a handler's replay, or null. */
export function ApiReplay(summary: string): MethodDecorator {
  const data = { nullable: true, allOf: [{ $ref: getSchemaPath(ReplayRecord) }] };
  return applyDecorators(
    ApiId('notification_handler_id'),
    ApiOperation({ summary }),
    ApiExtraModels(ReplayRecord),
    ApiResponse({
      status: 200,
      description: 'The replay in progress; null if there is none.',
      schema: { type: 'object', required: ['data'], properties: { data } },
    }),
  );
}
