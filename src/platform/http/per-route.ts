import type { ExecutionContext, Type } from '@nestjs/common';

export type RouteHandler = ReturnType<ExecutionContext['getHandler']>;

/** Caches what is read from a route's decorators, which never change: reading metadata for each request takes longer than most other work. */
export class PerRoute<T> {
  private readonly cache = new WeakMap<Type, WeakMap<RouteHandler, T>>();

  constructor(private readonly read: (controller: Type, handler: RouteHandler) => T) {}

  of(context: ExecutionContext): T {
    const [controller, handler] = [context.getClass(), context.getHandler()];
    let routes = this.cache.get(controller);
    if (!routes) this.cache.set(controller, (routes = new WeakMap<RouteHandler, T>()));
    let value = routes.get(handler);
    if (value === undefined) routes.set(handler, (value = this.read(controller, handler)));
    return value;
  }
}
