import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ConfigError } from '../config/config';
import { type Handler, isRoute, perRoute } from '../http/server/nest-metadata';
import { PUBLIC } from './public.decorator';
import { SCOPE } from './scope.decorator';
import type { ScopeName } from './scopes';

/** What a route asks for: nothing, or a key with this scope. */
export type Policy = 'public' | ScopeName;

/** What `@Public` and `@Scope` say of each route; a decorator of the method goes before one of its controller. */
@Injectable()
export class RoutePolicies implements OnModuleInit {
  readonly of = perRoute(readPolicy);

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws ConfigError naming every route without a policy */
  onModuleInit(): void {
    const controllers = new Set(this.discovery.getControllers().map(({ metatype }) => metatype as Type));
    const problems = [...controllers].flatMap((controller) => this.problemsOf(controller));
    if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  }

  private problemsOf(controller: Type): string[] {
    return this.scanner.getAllMethodNames(controller.prototype as object).flatMap((name) => {
      const handler = (controller.prototype as Record<string, Handler>)[name];
      if (!isRoute(handler)) return [];
      try {
        readPolicy(controller, handler);
        return [];
      } catch (error) {
        return [`${controller.name}.${name} ${(error as Error).message}`];
      }
    });
  }
}

/** @throws Error that completes a sentence about the route */
function readPolicy(controller: Type, handler: Handler): Policy {
  for (const target of [handler, controller]) {
    const isPublic = Reflect.getMetadata(PUBLIC.KEY, target) === true;
    const scope: ScopeName | undefined = Reflect.getMetadata(SCOPE, target);
    if (isPublic && scope) throw new Error('has both @Public() and @Scope(): keep one.');
    if (isPublic) return 'public';
    if (scope) return scope;
  }
  throw new Error("has neither @Scope() nor @Public(): add @Scope('<scope>'), or @Public() to answer without a key.");
}
