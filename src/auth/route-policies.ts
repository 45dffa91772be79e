import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ConfigError } from '../config/config';
import { type Handler, isRoute, perRoute } from '../http/server/nest-metadata';
import { PUBLIC } from './public.decorator';
import { SCOPE } from './scope.decorator';
import type { ScopeName } from './scopes';

/** The scope that a route requires. */
export type Policy = 'public' | ScopeName;

/** Reads `@Public` and `@Scope`; a method's decorator overrides its controller's. */
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
    const problems: string[] = [];
    for (const controller of controllers) {
      const prototype = controller.prototype as Record<string, Handler>;
      for (const name of this.scanner.getAllMethodNames(prototype).filter((each) => isRoute(prototype[each]))) {
        try {
          readPolicy(controller, prototype[name]);
        } catch (error) {
          problems.push(`${controller.name}.${name} ${(error as Error).message}`);
        }
      }
    }
    if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  }
}

/** @throws Error whose message continues the route's name */
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
