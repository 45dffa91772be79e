import { type CanActivate, type ExecutionContext, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import passport from 'passport';
import { Strategy } from 'passport-http-bearer';
import { RequestError } from '../platform/http/request-error';
import { ApiKeysService, type Caller } from './accounts/api-keys.service';
import { RoutePolicies, type ScopeName } from './route-policies';

const REALM = 'frontdesk';

let count = 0;

@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) implements OnApplicationShutdown {
  constructor(private readonly apiKeys: ApiKeysService) {
    super({ realm: REALM });
  }

  /**
   * Called before registering. The name is unique to the application: `bearer` would be the strategy of the process's newest one. The guard
   * can't use the instance instead: Passport copies only registered strategies for each request, and concurrent ones would get each
   * other's callers.
   */
  getPassportInstance(): typeof passport {
    this.name = `bearer ${++count}`;
    return passport;
  }

  /** Passport is global to the process, and would keep a stopped application alive. The server no longer takes requests. */
  onApplicationShutdown(): void {
    passport.unuse(this.name);
  }

  /**
   * Passes on only the header: the strategy would also accept an `access_token` in the query or the body. Of several spaces before the key
   * (RFC 9110, 11.4), it takes one.
   */
  override authenticate({ headers }: Request): void {
    super.authenticate({ headers: { authorization: headers.authorization?.replace(/ +/, ' ') } } as Request);
  }

  async validate(key: string): Promise<Caller | false> {
    return (await this.apiKeys.authenticate(key)) ?? false;
  }
}

/** Requires a key on every route that isn't `@Public`. */
@Injectable()
export class BearerGuard extends AuthGuard() {
  constructor(
    private readonly policies: RoutePolicies,
    private readonly apiKeys: ApiKeysService,
    strategy: BearerStrategy,
  ) {
    super({ defaultStrategy: strategy.name });
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
  return authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length).trimStart() : '';
}

function unauthenticated(authorization = ''): RequestError {
  if (/^bearer(?: |$)/i.test(authorization)) return invalidKey();
  return challenge('unauthenticated', 'An API key is required, in the header `Authorization: Bearer <API_KEY>`.');
}

/** Also for a key that stops being valid during a request. */
export function invalidKey(): RequestError {
  return challenge('unauthenticated', 'The API key is malformed, unknown, expired or revoked.', 'error="invalid_token"');
}

/** Requires the route's scopes. Runs after the rate limit, so that requests that lack a scope are counted, too. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly policies: RoutePolicies) {}

  canActivate(context: ExecutionContext): true {
    const policy = this.policies.of(context);
    const { user } = context.switchToHttp().getRequest<Request>();
    const isMissing = (scope: ScopeName) => !user?.scopes.has(scope);
    if (policy === 'public' || !policy.some(isMissing)) return true;
    throw insufficientScope(policy, policy.filter(isMissing));
  }
}

/** The challenge names every scope of the route (RFC 6750, section 3), the detail only those the key lacks. */
export function insufficientScope(required: readonly ScopeName[], missing: readonly ScopeName[]): RequestError {
  const detail = `The API key needs the scope${missing.length > 1 ? 's' : ''} ${missing.join(' and ')}.`;
  return challenge('insufficient_scope', detail, `error="insufficient_scope", scope="${required.join(' ')}"`);
}

/** An error with a WWW-Authenticate challenge (RFC 6750, section 3). */
function challenge(code: 'unauthenticated' | 'insufficient_scope', detail: string, reason?: string): RequestError {
  const header = [`Bearer realm="${REALM}"`, reason].filter(Boolean).join(', ');
  return new RequestError([{ code, detail, source: { in: 'header', name: 'Authorization' } }], { 'WWW-Authenticate': header });
}
