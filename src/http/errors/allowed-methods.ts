import type { Application, Request } from 'express';
import { RequestError } from './request-error';

/** A layer of Express's router; internal API. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods that a request's path supports, for the `Allow` header; empty for an unknown path. */
export function allowedMethods(request: Request): string[] {
  const { stack } = (request.app as Application).router as unknown as { stack: Layer[] };
  const routes = stack.filter((layer) => layer.route && layer.match(request.path));
  const methods = new Set(routes.flatMap(({ route }) => Object.keys(route?.methods ?? {}).map((method) => method.toUpperCase())));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

export function methodNotAllowed(allowed: string[]): RequestError {
  const Allow = allowed.join(', ');
  return RequestError.of('method_not_allowed', `This path answers ${Allow}.`, undefined, { Allow });
}

export function noRoute(request: Request): RequestError {
  const allowed = allowedMethods(request);
  return allowed.length > 0 ? methodNotAllowed(allowed) : RequestError.of('not_found', 'There is nothing at this path.');
}
