import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { ApiKeysService, type Caller } from './accounts/api-keys.service';
import { BearerStrategy } from './bearer.strategy';
import { unauthenticated } from './challenges';
import { RoutePolicies } from './route-policies';

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
