import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The authenticated sender of a request. */
export interface Caller {
  accountId: number;
  keyId: number;
  scopes: Pick<ReadonlySet<string>, 'has'>;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- the only way to type Passport's `request.user`
  namespace Express {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- merged with Express's, so it can't be a type alias
    interface User extends Caller {}
  }
}

export const AccountId = createParamDecorator((_: unknown, context: ExecutionContext): number => callerOf(context).accountId);

export function callerOf(context: ExecutionContext): Caller {
  const { user } = context.switchToHttp().getRequest<Request>();
  if (!user)
    throw new Error('This route is public, so it has no caller: parameters that need one, such as @AccountId(), require @Scope().');
  return user;
}
