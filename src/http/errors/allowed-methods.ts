import type { Application, Request } from 'express';
import { RequestError } from './request-error';

/** What Express keeps of a route. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods that the routes at a request's path take, as `Allow` lists them; none when the path is unknown. */
export function allowedMethods(request: Request): string[] {
  const { stack } = (request.app as Application).router as unknown as { stack: Layer[] };
  const methods = new Set<string>();
  for (const layer of stack) {
    if (!layer.route || !layer.match(request.path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

export function methodNotAllowed(allowed: string[]): RequestError {
  const Allow = allowed.join(', ');
  return new RequestError([{ code: 'method_not_allowed', detail: `This path answers ${Allow}.` }], { Allow });
}

/** The answer to a request that no route takes. */
export function noRoute(request: Request): RequestError {
  const allowed = allowedMethods(request);
  return allowed.length > 0 ? methodNotAllowed(allowed) : RequestError.of('not_found', 'There is nothing at this path.');
}
