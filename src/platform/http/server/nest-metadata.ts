import { type DynamicModule, type ExecutionContext, type PipeTransform, RequestMethod, type Type } from '@nestjs/common';
import {
  HOST_METADATA,
  METHOD_METADATA,
  MODULE_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
  ROUTE_ARGS_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';

// The only file that reads Nest's decorator metadata, which is internal: test/unit/nest-metadata.test.ts fails when it changes.

export type Handler = ReturnType<ExecutionContext['getHandler']>;
export type Pipe = PipeTransform | Type<PipeTransform>;

const SOURCES = {
  [RouteParamtypes.QUERY]: 'query',
  [RouteParamtypes.BODY]: 'body',
  [RouteParamtypes.PARAM]: 'path',
  [RouteParamtypes.REQUEST]: 'request',
} as const;

export interface InputParameter {
  source: (typeof SOURCES)[keyof typeof SOURCES];
  /** `q` in `@Query('q')`; undefined for the whole source. */
  name?: string;
  /** The declared class; `Object` for an interface or a union. */
  type?: Type;
  pipes: Pipe[];
}

export function inputParameters(controller: Type, handler: Handler): InputParameter[] {
  const { name: method } = declarationOf(controller, handler);
  const stored: Record<string, { index: number; data?: unknown; pipes: Pipe[] }> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {};
  const types: Type[] = Reflect.getMetadata('design:paramtypes', controller.prototype, method) ?? [];
  return Object.entries(stored).flatMap(([key, { index, data, pipes }]): InputParameter[] => {
    const source = SOURCES[Number(key.split(':')[0]) as keyof typeof SOURCES]; // keys are `<RouteParamtypes>:<index>`
    return source ? [{ source, name: typeof data === 'string' ? data : undefined, type: types[index], pipes }] : [];
  });
}

/** The pipes of `@UsePipes`, on the handler and its controller. */
export function usedPipes(controller: Type, handler: Handler): Pipe[] {
  return [handler, controller].flatMap((target) => (Reflect.getMetadata(PIPES_METADATA, target) as Pipe[] | undefined) ?? []);
}

/** All paths of a controller. The main one comes first. */
export function controllerPaths(controller: Type): string[] {
  return [Reflect.getMetadata(PATH_METADATA, controller) as string | string[]].flat();
}

/** All paths of a route, such as `api/parcels/:parcel_id/events`. The main one comes first. */
function routePaths(controller: Type, handler: Handler): string[] {
  const own = [Reflect.getMetadata(PATH_METADATA, handler) as string | string[]].flat();
  return controllerPaths(controller).flatMap((base) =>
    own.map((path) => [...base.split('/'), ...path.split('/')].filter(Boolean).join('/')),
  );
}

export function mainPath(controller: Type, handler: Handler): string {
  return routePaths(controller, handler)[0];
}

export function isRoute(handler: Handler): boolean {
  return Reflect.hasMetadata(METHOD_METADATA, handler);
}

/** For example `GET /api/coupons/:`, without the names of parameters; a host or version, if declared, follows. */
export function routePatterns(controller: Type, handler: Handler): string[] {
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
  const variant = [controller, handler].flatMap((target) =>
    [HOST_METADATA, VERSION_METADATA].map((key) => Reflect.getMetadata(key, target) as unknown),
  );
  const suffix = variant.some((each) => each !== undefined) ? ` ${JSON.stringify(variant)}` : '';
  return routePaths(controller, handler).map((path) => `${method} /${path.replace(/:\w+/g, ':')}${suffix}`);
}

/** Controllers of a module and its imports; of a dynamic module, those known before it is created. */
export function controllersOf(module: Type | DynamicModule): Type[] {
  const { module: declared, imports = [], controllers = [] } = 'module' in module ? module : { module };
  const listed = <T>(key: string) => (Reflect.getMetadata(key, declared) as T[] | undefined) ?? [];
  const imported = [...imports, ...listed<NonNullable<typeof imports>[number]>(MODULE_METADATA.IMPORTS)];
  const known = imported.filter((each): each is Type | DynamicModule => typeof each === 'function' || 'module' in each);
  return [...controllers, ...listed<Type>(MODULE_METADATA.CONTROLLERS), ...known.flatMap(controllersOf)];
}

/** Caches what `read` returns for a route. Keyed by controller, too: those that inherit a handler may declare other scopes and DTOs. */
export function perRoute<T>(read: (controller: Type, handler: Handler) => T): (context: ExecutionContext) => T {
  const cache = new Map<Type, Map<Handler, T>>();
  return (context) => {
    const controller = context.getClass();
    let routes = cache.get(controller);
    if (!routes) cache.set(controller, (routes = new Map<Handler, T>()));
    let value = routes.get(context.getHandler());
    if (value === undefined) routes.set(context.getHandler(), (value = read(controller, context.getHandler())));
    return value;
  };
}

/** The class that declares a handler, and its name there. Not `handler.name`: a decorator may have wrapped the method. */
export function declarationOf(controller: Type, handler: Handler): { prototype: object; name: string } {
  for (let prototype: object | null = controller.prototype; prototype; prototype = Object.getPrototypeOf(prototype)) {
    const name = Object.getOwnPropertyNames(prototype).find((each) => Object.getOwnPropertyDescriptor(prototype, each)?.value === handler);
    if (name) return { prototype, name };
  }
  return { prototype: controller.prototype as object, name: handler.name };
}
