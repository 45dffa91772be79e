import { type DynamicModule, type INestApplicationContext, RequestMethod, type Type } from '@nestjs/common';
import { HOST_METADATA, METHOD_METADATA, MODULE_METADATA, PATH_METADATA, VERSION_METADATA } from '@nestjs/common/constants';
import { RoutePolicies } from '../../auth/route-policies';
import { ConfigError } from '../../platform/config/config';
import { Extensions } from '../../platform/extensions/extensions';

const SERVICE = 'the service';

/**
 * Refuses extensions that claim a route of the service or of another extension, or another extension's scope: a key for one extension
 * would also give access to the other. Routes may require the service's scopes. @throws ConfigError
 */
export function checkClaims(app: INestApplicationContext): void {
  const ownerOf = ownersOf(app.get(Extensions));
  const owners = new Map<string, string>();
  const problems = new Set<string>();
  const claim = (claimed: string, owner: string) => {
    const other = owners.get(claimed);
    if (other === undefined) owners.set(claimed, owner);
    else if (other !== owner) problems.add(`EXTENSIONS: ${other} and ${owner} both claim the ${claimed}: rename one.`);
  };
  const { routes } = app.get(RoutePolicies);
  const serviceScopes = new Set(routes.filter(({ controller }) => !ownerOf.has(controller)).flatMap(({ scopes }) => scopes));
  for (const { controller, handler, scopes } of routes) {
    const owner = ownerOf.get(controller) ?? SERVICE;
    for (const pattern of routePatterns(controller, handler)) claim(`route ${pattern}`, owner);
    for (const scope of scopes) if (!serviceScopes.has(scope)) claim(`scope ${scope}`, owner);
  }
  if (problems.size > 0) throw new ConfigError([...problems].join('\n'));
}

function ownersOf({ added }: Extensions): Map<Type, string> {
  return new Map(
    added.flatMap(({ name, modules = [] }) => modules.flatMap(controllersOf).map((controller): [Type, string] => [controller, name])),
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
