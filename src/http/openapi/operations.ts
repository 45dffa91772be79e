import type { OpenAPIObject, OperationObject, ParameterObject } from '@nestjs/swagger';
import type { Handler, OpenApiHandlers } from './handlers';
import { OperationIds, sentenceOf } from './operation-ids';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** An operation of the document, and its place there. */
export interface DocumentedOperation {
  path: string;
  /** The first path of the same operation; its own unless a controller serves several. */
  mainPath: string;
  operation: OperationObject;
}

/** Sent with any request; without an example on the parameter itself, which the docs page would send. */
export const REQUEST_ID_PARAMETER: Record<'RequestId', ParameterObject> = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'Names the request, in its answer and in the log. Anything but a plain name is replaced by a new one.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$', examples: ['order-4711'] },
  },
};

/** Every operation, with an id and a description. */
export function describeOperations(document: OpenAPIObject, handlers: OpenApiHandlers): DocumentedOperation[] {
  const mainPaths = new Map<Handler, string>();
  const ids = new OperationIds();
  return operationsOf(document).map(({ path, operation }) => {
    const handler = handlers.of(operation);
    const mainPath = mainPaths.get(handler) ?? path;
    mainPaths.set(handler, mainPath);
    operation.operationId = ids.next(operation, handler, path !== mainPath);
    operation.summary ||= sentenceOf(operation.operationId);
    describe({ path, mainPath, operation });
    return { path, mainPath, operation };
  });
}

function operationsOf(document: OpenAPIObject) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ path, operation: item[method] }] : [])),
  );
}

/** Says which scope the operation needs, and what it is an alias of. */
function describe({ path, mainPath, operation }: DocumentedOperation): void {
  const scopes = requiredScopes(operation);
  // Scopes in `security` are for OAuth 2 and OpenID Connect: many tools refuse them for a bearer scheme, although OpenAPI 3.1 allows it.
  operation.security = scopes.length > 0 ? [{ key: [] }] : [];
  if (scopes.length > 0) Object.assign(operation, { 'x-required-scopes': scopes });
  operation.description = [
    ...(operation.description ? [operation.description] : []),
    scopes.length > 0 ? `Needs a key with the scope \`${scopes.join(' ')}\`.` : 'Needs no key.',
    ...(path === mainPath ? [] : [`Answers like \`${mainPath}\`.`]),
  ].join('\n\n');
  operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/RequestId' }];
}

/** `@Scope` and `@Public` each leave an entry, the controller's before the method's: the last one decides, as in the guard. */
function requiredScopes({ security = [] }: OperationObject): string[] {
  return security.at(-1)?.key ?? [];
}
