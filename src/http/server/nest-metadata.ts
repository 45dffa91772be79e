import type { ExecutionContext, PipeTransform, Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, PIPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';

// The one file that reads what Nest's decorators store. Nest calls these names internal: test/unit/nest-metadata.test.ts fails when they move.

export type Handler = ReturnType<ExecutionContext['getHandler']>;
export type Pipe = PipeTransform | Type<PipeTransform>;

const SOURCES = {
  [RouteParamtypes.QUERY]: 'query',
  [RouteParamtypes.BODY]: 'body',
  [RouteParamtypes.PARAM]: 'path',
  [RouteParamtypes.REQUEST]: 'request',
} as const;

/** A parameter of a handler that takes its value from the request. */
export interface InputParameter {
  source: (typeof SOURCES)[keyof typeof SOURCES];
  /** `q` of `@Query('q')`; undefined when the parameter takes all of its source. */
  name?: string;
  /** The declared class; `Object` for an interface or a union. */
  type?: Type;
  pipes: Pipe[];
}

/** The parameters of a route's handler that Nest reads from the query, the body, the path or the request itself. */
export function inputParameters(controller: Type, handler: Handler): InputParameter[] {
  const method = methodName(controller, handler);
  const stored: Record<string, { index: number; data?: unknown; pipes: Pipe[] }> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {};
  const types: Type[] = Reflect.getMetadata('design:paramtypes', controller.prototype, method) ?? [];
  return Object.entries(stored).flatMap(([key, { index, data, pipes }]): InputParameter[] => {
    const source = SOURCES[Number(key.split(':')[0]) as keyof typeof SOURCES]; // keys are `<RouteParamtypes>:<index>`
    return source ? [{ source, name: typeof data === 'string' ? data : undefined, type: types[index], pipes }] : [];
  });
}

/** The pipes that `@UsePipes` names, on the handler and on its controller. */
export function usedPipes(controller: Type, handler: Handler): Pipe[] {
  return [handler, controller].flatMap((target) => (Reflect.getMetadata(PIPES_METADATA, target) as Pipe[] | undefined) ?? []);
}

/** The paths that a controller answers at, the main one first. */
export function controllerPaths(controller: Type): string[] {
  return [Reflect.getMetadata(PATH_METADATA, controller) as string | string[]].flat();
}

/** Whether a method answers a route. */
export function isRoute(handler: Handler): boolean {
  return Reflect.hasMetadata(METHOD_METADATA, handler);
}

/** A decorator may have wrapped the method, so the function's own name is not to be trusted. */
function methodName(controller: Type, handler: Handler): string {
  for (let prototype: object | null = controller.prototype; prototype; prototype = Object.getPrototypeOf(prototype)) {
    const name = Object.getOwnPropertyNames(prototype).find((each) => Object.getOwnPropertyDescriptor(prototype, each)?.value === handler);
    if (name) return name;
  }
  return handler.name;
}
