import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { insufficientScope } from './challenges';
import { RoutePolicies, type ScopeName } from './route-policies';

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
