import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import type { RequestError } from '../http/errors/request-error';
import { ApiKeysService } from './keys/api-keys.service';
import type { Caller } from './caller';
import { challenge } from './www-authenticate';
import { RoutePolicies } from './route-policies';

/** Requires a key on every route that isn't `@Public`. */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  constructor(
    private readonly policies: RoutePolicies,
    private readonly apiKeys: ApiKeysService,
  ) {
    super();
  }

  /** A cached key skips Passport, which costs more than everything else here (bench/HISTORY.md). */
  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.policies.of(context) === 'public') return true;
    const request: Request = context.switchToHttp().getRequest();
    request.user = this.apiKeys.getCached(bearerKey(request.headers.authorization));
    return request.user ? true : (super.canActivate(context) as Promise<boolean>);
  }

  /** Called by Passport's guard with the strategy's result. */
  override handleRequest<T = Caller>(error: Error | null, caller: T | false, _info: unknown, context: ExecutionContext): T {
    if (error) throw error;
    if (caller) return caller;
    throw unauthenticated(context.switchToHttp().getRequest<Request>().headers.authorization);
  }
}

function bearerKey(authorization = ''): string {
  return authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '';
}

function unauthenticated(authorization = ''): RequestError {
  const isBearer = /^bearer(?: |$)/i.test(authorization);
  const detail = isBearer
    ? 'The API key is malformed, unknown, expired or revoked.'
    : 'An API key is required, in the header `Authorization: Bearer <API_KEY>`.';
  return challenge('unauthenticated', detail, isBearer ? 'error="invalid_token"' : undefined);
}
