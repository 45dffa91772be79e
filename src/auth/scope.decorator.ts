import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { ScopeName } from './scopes';

export const SCOPE = 'frontdesk:scope';

/** The scope that a key needs for a route; the start refuses a route that is neither public nor scoped. */
export function Scope(scope: ScopeName): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(SCOPE, scope), ApiSecurity('key', [scope]));
}
