import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { ScopeName } from './scopes';

/** The authenticated sender of a request. */
export interface Caller {
  accountId: number;
  keyId: number;
  scopes: Pick<ReadonlySet<ScopeName>, 'has'>;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- the only way to type Passport's `request.user`
  namespace Express {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- merged with Express's, so it can't be a type alias
    interface User extends Caller {}
  }
}

export const AccountId = createParamDecorator((_: unknown, context: ExecutionContext): number => callerOf(context).accountId);

/** Whether the key has a scope that its route doesn't require. */
export const HasScope = createParamDecorator((scope: ScopeName, context: ExecutionContext): boolean => callerOf(context).scopes.has(scope));

export function callerOf(context: ExecutionContext): Caller {
  const { user } = context.switchToHttp().getRequest<Request>();
  if (!user) throw new Error('No caller on a public route.');
  return user;
}
