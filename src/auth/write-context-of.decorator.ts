import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Change } from '../common/write-context';
import { readIfMatch } from '../http/responses/entity-tags';
import { readOnce } from '../http/input/idempotency-key';
import { callerOf } from './caller';

const changeOf = createParamDecorator((operation: string, context: ExecutionContext): Change => {
  const request: Request = context.switchToHttp().getRequest();
  const { accountId, keyId } = callerOf(context);
  return { accountId, keyId, requestId: request.id, versions: readIfMatch(request), once: readOnce(request, operation) };
});

/**
 * The change that a request asks for: by whom, and under which conditions. `operation` names the route, and no other one,
 * for good: a repeated request with an Idempotency-Key is known by it.
 */
export function ChangeOf(operation: string): ParameterDecorator {
  return changeOf(operation);
}
