import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { RequestError } from '../http/errors/request-error';
import { challenge } from './www-authenticate';
import { RoutePolicies } from './route-policies';
import type { ScopeName } from './scope.decorator';

/** Runs after the rate limit, which also counts requests that lack a scope. */
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

/** The challenge names every scope of the route (RFC 6750, section 3), the detail those that the key lacks. */
function insufficientScope(required: readonly ScopeName[], missing: readonly ScopeName[]): RequestError {
  const detail = `The API key needs the scope${missing.length > 1 ? 's' : ''} ${missing.join(' and ')}.`;
  return challenge('insufficient_scope', detail, `error="insufficient_scope", scope="${required.join(' ')}"`);
}
