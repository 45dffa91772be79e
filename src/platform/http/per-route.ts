import type { ExecutionContext, Type } from '@nestjs/common';

export type RouteHandler = ReturnType<ExecutionContext['getHandler']>;

/** What the decorators of a route say, read once: they never change, and reading metadata for each request takes longer than most work. */
export class PerRoute<T> {
  private readonly known = new WeakMap<Type, WeakMap<RouteHandler, T>>();

  constructor(private readonly read: (controller: Type, handler: RouteHandler) => T) {}

  of(context: ExecutionContext): T {
    const [controller, handler] = [context.getClass(), context.getHandler()];
    let routes = this.known.get(controller);
    if (!routes) this.known.set(controller, (routes = new WeakMap<RouteHandler, T>()));
    let found = routes.get(handler);
    if (found === undefined) routes.set(handler, (found = this.read(controller, handler)));
    return found;
  }
}
