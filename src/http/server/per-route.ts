import type { ExecutionContext, Type } from '@nestjs/common';
import type { Handler } from './nest-metadata';

/**
 * Reads what a route declares once, and remembers it by controller and handler: controllers that inherit a handler may
 * declare different scopes and DTOs.
 */
export function perRoute<T>(read: (controller: Type, handler: Handler) => T): (context: ExecutionContext) => T {
  const byController = new Map<Type, Map<Handler, T>>();
  return (context) => {
    const controller = context.getClass();
    const handler = context.getHandler();
    const known = byController.get(controller) ?? new Map<Handler, T>();
    const found = known.get(handler);
    if (found !== undefined) return found;
    const value = read(controller, handler);
    byController.set(controller, known.set(handler, value));
    return value;
  };
}
