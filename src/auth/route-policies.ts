import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Public } from './public.decorator';
import { SCOPE } from './scope.decorator';
import type { ScopeName } from './scopes';

/** What a route asks for: nothing, or a key with this scope. */
export type Policy = 'public' | ScopeName;

@Injectable()
export class RoutePolicies {
  private readonly policies = new Map<unknown, Policy>();

  constructor(private readonly reflector: Reflector) {}

  /** @throws Error when the route is neither public nor scoped */
  of(context: ExecutionContext): Policy {
    const handler = context.getHandler();
    let policy = this.policies.get(handler);
    if (!policy) {
      policy = this.read(context);
      this.policies.set(handler, policy);
    }
    return policy;
  }

  private read(context: ExecutionContext): Policy {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride(Public, targets)) return 'public';
    const scope = this.reflector.getAllAndOverride<ScopeName | undefined>(SCOPE, targets);
    if (!scope) throw new Error(`${targets.map(({ name }) => name).join(' of ')} is neither public nor scoped.`);
    return scope;
  }
}
