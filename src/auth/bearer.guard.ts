import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { RequestError } from '../http/request-error';
import { REALM } from './bearer.strategy';
import type { Caller } from './caller';
import { Public } from './public.decorator';
import { SCOPE } from './scope.decorator';
import type { ScopeName } from './scopes';

/** Every route is closed to requests without a key that has the route's scope, unless the route is `@Public`. */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride(Public, targets)) return true;
    await super.canActivate(context);
    const scope = this.reflector.getAllAndOverride<ScopeName | undefined>(SCOPE, targets);
    const { user } = context.switchToHttp().getRequest<Request>();
    if (!scope) throw new Error(`${context.getClass().name}.${context.getHandler().name} is neither public nor scoped.`);
    if (!user?.scopes.has(scope)) throw insufficientScope(scope);
    return true;
  }

  /** Called by passport's guard with what the strategy found. */
  override handleRequest<T = Caller>(error: Error | null, caller: T | false, _info: unknown, context: ExecutionContext): T {
    if (error) throw error;
    if (caller) return caller;
    throw unauthenticated(context.switchToHttp().getRequest<Request>().headers.authorization);
  }
}

function unauthenticated(authorization = ''): RequestError {
  const isBearer = /^bearer(?: |$)/i.test(authorization);
  const detail = isBearer
    ? 'The API key is malformed, unknown, expired or revoked.'
    : 'An API key is required, in the header `Authorization: Bearer <API_KEY>`.';
  return challenge('unauthenticated', detail, isBearer ? 'error="invalid_token"' : undefined);
}

function insufficientScope(scope: string): RequestError {
  return challenge('insufficient_scope', `The API key needs the scope ${scope}.`, `error="insufficient_scope", scope="${scope}"`);
}

/** The header tells why, as RFC 6750, section 3, has it. */
function challenge(code: 'unauthenticated' | 'insufficient_scope', detail: string, reason?: string): RequestError {
  const header = [`Bearer realm="${REALM}"`, reason].filter(Boolean).join(', ');
  return new RequestError([{ code, detail, source: { in: 'header', name: 'Authorization' } }], { 'WWW-Authenticate': header });
}
