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

/** Injects the writer and the conditions of a write. `operation` identifies the route for Idempotency-Key: unique, and never changed. */
export function WriteContextOf(operation: string): ParameterDecorator {
  return writeContextOf(operation);
}
