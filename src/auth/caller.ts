import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { parseTraceparent } from '../platform/common/trace-context';
import type { WriteContext } from '../platform/common/write-context';
import { acceptIdempotencyKeys, readIdempotency } from '../platform/http/input/idempotency-key';
import { readIfMatch } from '../platform/http/responses';
import type { Caller } from './accounts/api-keys.service';
import { OPTIONAL_SCOPES, type ScopeName } from './route-policies';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- the only way to type Passport's `request.user`
  namespace Express {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- merged with Express's, so it can't be a type alias
    interface User extends Caller {}
  }
}

export const AccountId = createParamDecorator((_: unknown, context: ExecutionContext): number => callerOf(context).accountId);

/** Injects the caller: account, key and scopes. */
export const CallerOf = createParamDecorator((_: unknown, context: ExecutionContext): Caller => callerOf(context));

function callerOf(context: ExecutionContext): Caller {
  const { user } = context.switchToHttp().getRequest<Request>();
  if (!user)
    throw new Error('This route is public, so it has no caller: parameters that need one, such as @AccountId(), require @Scope().');
  return user;
}

/** Injects whether the key has a scope that the route doesn't require. */
export function CallerHasScope(scope: ScopeName): ParameterDecorator {
  return (prototype, method, index) => {
    const handler = (prototype as Record<string | symbol, object>)[method!];
    const others: ScopeName[] = Reflect.getMetadata(OPTIONAL_SCOPES, handler) ?? [];
    Reflect.defineMetadata(OPTIONAL_SCOPES, [...others, scope], handler);
    hasScope(scope)(prototype, method, index);
  };
}

const hasScope = createParamDecorator((scope: ScopeName, context: ExecutionContext): boolean => callerOf(context).scopes.has(scope));

const writeContextOf = createParamDecorator(async (operation: string, context: ExecutionContext): Promise<WriteContext> => {
  const request: Request = context.switchToHttp().getRequest();
  const { accountId, keyId, scopes } = callerOf(context);
  const idempotency = await readIdempotency(request, operation);
  const traceparent = parseTraceparent(request.headers.traceparent);
  return { accountId, keyId, scopes, requestId: request.id, traceparent, precondition: readIfMatch(request), idempotency };
});

/**
 * Injects a request's `WriteContext`. `operation`, by default `Class.method`, identifies the route for Idempotency-Key: it must be unique
 * and never change.
 */
export function WriteContextOf(operation?: string): ParameterDecorator {
  return (prototype, method, index) => {
    acceptIdempotencyKeys(prototype, method!);
    writeContextOf(operation ?? `${prototype.constructor.name}.${String(method)}`)(prototype, method, index);
  };
}
