import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { WriteContext } from '../common/write-context';
import { readIfMatch } from '../http/responses/entity-tags';
import { handlesIdempotencyKey, readIdempotency } from '../http/input/idempotency-key';
import { callerOf } from './caller';

const writeContextOf = createParamDecorator(async (operation: string, context: ExecutionContext): Promise<WriteContext> => {
  const request: Request = context.switchToHttp().getRequest();
  const { accountId, keyId } = callerOf(context);
  const idempotency = await readIdempotency(request, operation);
  return { accountId, keyId, requestId: request.id, precondition: readIfMatch(request), idempotency };
});

/** Injects the writer and the conditions of a write. `operation` identifies the route for Idempotency-Key: unique, and never changed. */
export function WriteContextOf(operation: string): ParameterDecorator {
  return (prototype, method, index) => {
    handlesIdempotencyKey(prototype, method!);
    writeContextOf(operation)(prototype, method, index);
  };
}
