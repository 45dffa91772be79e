import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { RequestError } from '../http/request-error';
import { ApiKeysService } from './api-keys.service';
import { REALM } from './bearer.strategy';
import type { Caller } from './caller';
import { Public } from './public.decorator';
import { SCOPE } from './scope.decorator';
import type { ScopeName } from './scopes';

/** What a route asks for: nothing, or a key with this scope. */
type Policy = 'public' | ScopeName;

/** Every route is closed to requests without a key that has the route's scope, unless the route is `@Public`. */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  private readonly policies = new Map<unknown, Policy>();

  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeysService,
  ) {
    super();
  }

  /** A key that is still remembered needs no strategy: passport takes longer for it than everything else here (bench/RESULTS.md). */
  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const policy = this.policyOf(context);
    if (policy === 'public') return true;
    const request: Request = context.switchToHttp().getRequest();
    request.user = this.apiKeys.recall(keyIn(request.headers.authorization));
    return request.user ? allow(request.user, policy) : this.authenticate(context, policy);
  }

  /** Called by passport's guard with what the strategy found. */
  override handleRequest<T = Caller>(error: Error | null, caller: T | false, _info: unknown, context: ExecutionContext): T {
    if (error) throw error;
    if (caller) return caller;
    throw unauthenticated(context.switchToHttp().getRequest<Request>().headers.authorization);
  }

  private async authenticate(context: ExecutionContext, scope: ScopeName): Promise<boolean> {
    await super.canActivate(context);
    return allow(context.switchToHttp().getRequest<Request>().user!, scope);
  }

  private policyOf(context: ExecutionContext): Policy {
    const handler = context.getHandler();
    let policy = this.policies.get(handler);
    if (!policy) {
      policy = this.readPolicy(context);
      this.policies.set(handler, policy);
    }
    return policy;
  }

  private readPolicy(context: ExecutionContext): Policy {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride(Public, targets)) return 'public';
    const scope = this.reflector.getAllAndOverride<ScopeName | undefined>(SCOPE, targets);
    if (!scope) throw new Error(`${targets.map(({ name }) => name).join(' of ')} is neither public nor scoped.`);
    return scope;
  }
}

function keyIn(authorization = ''): string {
  return authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '';
}

function allow(caller: Caller, scope: ScopeName): true {
  if (!caller.scopes.has(scope)) throw insufficientScope(scope);
  return true;
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
