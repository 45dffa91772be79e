import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { challenge } from './www-authenticate';
import { RoutePolicies } from './route-policies';

/** Runs after the rate limit, which also counts requests that lack the scope. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly policies: RoutePolicies) {}

  canActivate(context: ExecutionContext): true {
    const policy = this.policies.of(context);
    if (policy === 'public' || context.switchToHttp().getRequest<Request>().user?.scopes.has(policy)) return true;
    throw challenge('insufficient_scope', `The API key needs the scope ${policy}.`, `error="insufficient_scope", scope="${policy}"`);
  }
}
