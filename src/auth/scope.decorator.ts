import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { ScopeName } from './scopes';

export const SCOPE = 'frontdesk:scope';

/** The scope that a route requires. A route with neither `@Scope` nor `@Public` stops the start. */
export function Scope(scope: ScopeName): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(SCOPE, scope), ApiSecurity('key', [scope]));
}
