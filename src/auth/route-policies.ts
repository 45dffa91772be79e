import { applyDecorators, type ExecutionContext, Injectable, type OnModuleInit, SetMetadata, type Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';
import { ConfigError } from '../platform/config/config';
import { PerRoute, type RouteHandler } from '../platform/http/per-route';

const PUBLIC = Reflector.createDecorator<void, true>({ transform: () => true });

/** Opens a route, or all of a controller's routes, to requests without a key. */
export function Public(): MethodDecorator & ClassDecorator {
  return applyDecorators(PUBLIC(), ApiSecurity({})); // OpenAPI's anonymous access
}

/** A scope exists once a route names it. */
export type ScopeName = `${string}:read` | `${string}:write`;

export const SCOPE = 'frontdesk:scope';
export const OPTIONAL_SCOPES = 'frontdesk:optional-scopes';

/** Requires a key with all of these scopes. A route with neither `@Scope` nor `@Public` prevents startup. */
export function Scope(...scopes: [ScopeName, ...ScopeName[]]): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(SCOPE, scopes), ApiSecurity('key', scopes));
}

/** Requires a key, whatever its scopes. */
export function AnyKey(): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(SCOPE, []), ApiSecurity('key', []));
}

/** Lets a key create and revoke keys. Not included in all scopes (`*`): an operator must grant it by name. */
export const KEYS_WRITE: ScopeName = 'keys:write';

interface RouteScopes {
  handler: RouteHandler;
  /** Required and optional scopes; with an optional one (`@CallerHasScope`), the response shows more. */
  scopes: readonly ScopeName[];
  required: readonly ScopeName[];
}

/** The scopes that a route requires, an empty list if any key will do; or `public` if it requires no key. */
type Policy = 'public' | readonly ScopeName[];

/** Reads `@Public` and `@Scope`; a method's decorator overrides its controller's. */
@Injectable()
export class RoutePolicies implements OnModuleInit {
  private readonly policies = new PerRoute(readPolicy);
  private cachedRoutes?: readonly RouteScopes[];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  of(context: ExecutionContext): Policy {
    return this.policies.of(context);
  }

  /** Makes startup fail early. @throws ConfigError as `routes` does */
  onModuleInit(): void {
    this.cachedRoutes = this.readRoutes();
  }

  /** All routes. Read on demand: commands run no lifecycle hook. @throws ConfigError naming every route with no policy, or with both */
  get routes(): readonly RouteScopes[] {
    return (this.cachedRoutes ??= this.readRoutes());
  }

  /** Every scope that a route names, sorted. */
  get scopes(): readonly ScopeName[] {
    return [...new Set(this.routes.flatMap(({ scopes }) => scopes))].sort();
  }

  /** The scopes of a key with all scopes (`*`). */
  get allScopes(): readonly ScopeName[] {
    return this.scopes.filter((scope) => scope !== KEYS_WRITE);
  }

  private readRoutes(): readonly RouteScopes[] {
    const problems: string[] = [];
    const routes = this.findRoutes().map(({ controller, handler, name }) => {
      const optional = (Reflect.getMetadata(OPTIONAL_SCOPES, handler) as ScopeName[] | undefined) ?? [];
      try {
        const policy = readPolicy(controller, handler);
        const required = policy === 'public' ? [] : policy;
        return { handler, scopes: [...required, ...optional], required };
      } catch (error) {
        problems.push(`${name} ${(error as Error).message}`);
        return { handler, scopes: optional, required: [] };
      }
    });
    if (problems.length > 0) throw new ConfigError(problems.join('\n'));
    return routes;
  }

  private findRoutes() {
    const controllers = new Set(this.discovery.getControllers().map(({ metatype }) => metatype as Type));
    return [...controllers].flatMap((controller) => {
      const prototype = controller.prototype as Record<string, RouteHandler>;
      const names = this.scanner.getAllMethodNames(prototype).filter((name) => Reflect.hasMetadata(PATH_METADATA, prototype[name]));
      return names.map((name) => ({ controller, handler: prototype[name], name: `${controller.name}.${name}` }));
    });
  }
}

/** @throws Error whose message continues the route's name */
function readPolicy(controller: Type, handler: RouteHandler): Policy {
  for (const target of [handler, controller]) {
    const isPublic = Reflect.getMetadata(PUBLIC.KEY, target) === true;
    const scopes: readonly ScopeName[] | undefined = Reflect.getMetadata(SCOPE, target);
    if (isPublic && scopes) throw new Error('has both @Public() and @Scope(): keep one.');
    if (isPublic) return 'public';
    if (scopes) return scopes;
  }
  throw new Error("has neither @Scope() nor @Public(): add @Scope('<scope>'), or @Public() to allow requests without a key.");
}
