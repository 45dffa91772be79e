import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Change } from '../database/change';
import { readIfMatch } from '../http/entity-tags';
import { readOnce } from '../http/idempotency-key';
import { callerOf } from './caller';

/** The change that a request asks for: by whom, and under which conditions. */
export const ChangeOf = createParamDecorator((_: unknown, context: ExecutionContext): Change => {
  const request: Request = context.switchToHttp().getRequest();
  const operation = `${context.getClass().name}.${context.getHandler().name}`;
  const { accountId, keyId } = callerOf(context);
  return { accountId, keyId, requestId: request.id, versions: readIfMatch(request), once: readOnce(request, operation) };
});
