import type { INestApplicationContext, Type } from '@nestjs/common';
import { RoutePolicies } from '../auth/route-policies';
import { ConfigError } from '../config/config';
import { Extensions } from '../extensions/extensions';
import { controllersOf, routePatterns } from '../http/server/nest-metadata';

const SERVICE = 'the service';

/**
 * Refuses extensions that claim a route of the service or of another extension, or another extension's scope: a key for one area would
 * also open the other. Routes may require the service's scopes. @throws ConfigError
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
