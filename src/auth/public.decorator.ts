import { applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';

export const PUBLIC = Reflector.createDecorator<void, true>({ transform: () => true });

/** Opens a route, or all of a controller's routes, to requests without a key. */
export function Public(): MethodDecorator & ClassDecorator {
  return applyDecorators(PUBLIC(), ApiSecurity({})); // OpenAPI's anonymous access
}
