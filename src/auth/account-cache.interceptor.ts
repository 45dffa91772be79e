import { type ExecutionContext, Inject, mixin, type NestInterceptor, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Request } from 'express';
import { RoutePolicies } from './route-policies';

type CacheKey = string | undefined | null;

interface KeyedInterceptor extends NestInterceptor {
  trackBy(context: ExecutionContext): CacheKey | Promise<CacheKey>;
}

/**
 * Nest's `CacheInterceptor`, which keys by URL alone, with a separate cache for each account and set of scopes. The class is an argument
 * because @nestjs/cache-manager is a dependency of the extension, where the service may not find it.
 */
export function AccountCacheInterceptor(cacheInterceptor: Type<NestInterceptor>): Type<NestInterceptor> {
  class AccountCache extends (cacheInterceptor as Type<KeyedInterceptor>) {
    @Inject(ModuleRef)
    private readonly modules: ModuleRef;

    override async trackBy(context: ExecutionContext): Promise<CacheKey> {
      const key = await super.trackBy(context);
      const { user } = context.switchToHttp().getRequest<Request>();
      if (!key || !user) return key;
      const { scopes } = this.modules.get(RoutePolicies, { strict: false });
      return JSON.stringify([user.accountId, scopes.filter((scope) => user.scopes.has(scope)), key]);
    }
  }
  return mixin(AccountCache);
}
