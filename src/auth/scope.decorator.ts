import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { callerOf } from './caller';

/** A scope exists once a route names it. */
export type ScopeName = `${string}:read` | `${string}:write`;

export const SCOPE = 'frontdesk:scope';
export const OPTIONAL_SCOPES = 'frontdesk:optional-scopes';

/** The scopes that a route requires, all of them. A route with neither `@Scope` nor `@Public` prevents startup. */
export function Scope(...scopes: [ScopeName, ...ScopeName[]]): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(SCOPE, scopes), ApiSecurity('key', scopes));
}

/** Injects whether the key has a scope that the route doesn't require. */
export function HasScope(scope: ScopeName): ParameterDecorator {
  return (prototype, method, index) => {
    const handler = (prototype as Record<string | symbol, object>)[method!];
    const others: ScopeName[] = Reflect.getMetadata(OPTIONAL_SCOPES, handler) ?? [];
    Reflect.defineMetadata(OPTIONAL_SCOPES, [...others, scope], handler);
    hasScope(scope)(prototype, method, index);
  };
}

const hasScope = createParamDecorator((scope: ScopeName, context: ExecutionContext): boolean => callerOf(context).scopes.has(scope));
