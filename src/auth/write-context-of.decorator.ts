import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { WriteContext } from '../common/write-context';
import { readIfMatch } from '../http/responses/entity-tags';
import { readIdempotency } from '../http/input/idempotency-key';
import { callerOf } from './caller';

const writeContextOf = createParamDecorator((operation: string, context: ExecutionContext): WriteContext => {
  const request: Request = context.switchToHttp().getRequest();
  const { accountId, keyId } = callerOf(context);
  return { accountId, keyId, requestId: request.id, precondition: readIfMatch(request), idempotency: readIdempotency(request, operation) };
});

/** Who writes, and under which conditions. `operation` identifies the route for Idempotency-Key: it is unique and never changes. */
export function WriteContextOf(operation: string): ParameterDecorator {
  return writeContextOf(operation);
}
