import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { ScopeName } from './scopes';

/** Who sends a request: what the bearer guard found out of its key. */
export interface Caller {
  accountId: number;
  keyId: number;
  scopes: Pick<ReadonlySet<ScopeName>, 'has'>;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- the one way to type what passport puts on a request
  namespace Express {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- it takes its fields from Caller, and can be no alias
    interface User extends Caller {}
  }
}

/** The id of the account that a request's key belongs to. */
export const AccountId = createParamDecorator((_: unknown, context: ExecutionContext): number => callerOf(context).accountId);

/** Whether a request's key has a scope beyond the one that its route asks for. */
export const HasScope = createParamDecorator((scope: ScopeName, context: ExecutionContext): boolean => callerOf(context).scopes.has(scope));

export function callerOf(context: ExecutionContext): Caller {
  const { user } = context.switchToHttp().getRequest<Request>();
  if (!user) throw new Error('A route without a key was asked for its caller.');
  return user;
}
