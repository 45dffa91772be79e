import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { IDEMPOTENCY_KEY } from '../input/idempotency-key';

const TAG = '"3q2-7wRm5nK1yTzXbVc0aA"';

export const ENTITY_TAG = {
  ETag: {
    description: 'Tells this state of the record from any other.',
    required: true,
    schema: { type: 'string' as const },
    example: TAG,
  },
};

/** Documents that a record is not sent to who has it. */
export function ApiIfNoneMatch() {
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'Entity tag of the record that the client has: 304 when it is the same.',
      schema: { type: 'string', examples: [TAG] },
    }),
    ApiResponse({ status: 304, description: 'The client has the record.', headers: ENTITY_TAG }),
  );
}

/** Documents that a record is changed only in the state that the client knows. */
export function ApiIfMatch() {
  return ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'Entity tag of the record as it was read: 412 when it has changed since.',
    schema: { type: 'string', examples: [TAG] },
  });
}

/** Documents that a request may be sent again. */
export function ApiIdempotencyKey() {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'Names the request. Sent again within a day, it is answered as it was, and not carried out again.',
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source, examples: ['order-4711-host'] },
  });
}
