import { type DynamicModule, type INestApplicationContext, RequestMethod, type Type } from '@nestjs/common';
import { HOST_METADATA, METHOD_METADATA, MODULE_METADATA, PATH_METADATA, VERSION_METADATA } from '@nestjs/common/constants';
import { RoutePolicies } from '../../auth/route-policies';
import { Claims, Extensions } from '../../platform/extensions/extensions';

/**
 * Refuses extensions that claim a route of the service or of another extension, or another extension's scope: a key for one extension
 * would also give access to the other. Routes may require the service's scopes. @throws ConfigError
 */
export function checkClaims(app: INestApplicationContext): void {
  const ownerOf = ownersOf(app.get(Extensions));
  const claims = new Claims();
  const { routes } = app.get(RoutePolicies);
  const serviceScopes = new Set(routes.filter(({ controller }) => !ownerOf.has(controller)).flatMap(({ scopes }) => scopes));
  for (const { controller, handler, scopes } of routes) {
    const owner = ownerOf.get(controller);
    for (const pattern of routePatterns(controller, handler)) claims.add(`route ${pattern}`, owner);
    for (const scope of scopes) if (!serviceScopes.has(scope)) claims.add(`scope ${scope}`, owner);
  }
  claims.check();
}

function ownersOf({ list }: Extensions): Map<Type, string> {
  return new Map(
    list.flatMap(({ name, modules = [] }) => modules.flatMap(controllersOf).map((controller): [Type, string] => [controller, name])),
  );
}

/** For example `GET /api/coupons/:`, without the names of parameters; a host or version, if declared, follows. */
function routePatterns(controller: Type, handler: object): string[] {
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
  const variant = [controller, handler].flatMap((target) =>
    [HOST_METADATA, VERSION_METADATA].map((key) => Reflect.getMetadata(key, target) as unknown),
  );
  const suffix = variant.some((each) => each !== undefined) ? ` ${JSON.stringify(variant)}` : '';
  const [bases, own] = [controller, handler].map((target) => [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat());
  const paths = bases.flatMap((base) => own.map((path) => `${base}/${path}`.split('/').filter(Boolean).join('/')));
  return paths.map((path) => `${method} /${path.replace(/:\w+/g, ':')}${suffix}`);
}

/** Controllers of a module and its imports; of a dynamic module, those known before it is created. */
function controllersOf(module: Type | DynamicModule): Type[] {
  const { module: declared, imports = [], controllers = [] } = 'module' in module ? module : { module };
  const listed = <T>(key: string) => (Reflect.getMetadata(key, declared) as T[] | undefined) ?? [];
  const imported = [...imports, ...listed<NonNullable<typeof imports>[number]>(MODULE_METADATA.IMPORTS)];
  const known = imported.filter((each): each is Type | DynamicModule => typeof each === 'function' || 'module' in each);
  return [...controllers, ...listed<Type>(MODULE_METADATA.CONTROLLERS), ...known.flatMap(controllersOf)];
}
