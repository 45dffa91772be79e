import { Reflector } from '@nestjs/core';

/** Opens a route, or a controller's routes, to requests without a key. Everything else is closed. */
export const Public = Reflector.createDecorator<void, true>({ transform: () => true });
