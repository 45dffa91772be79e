import type { OpenAPIObject, OperationObject, ParameterObject } from '@nestjs/swagger';

const METHODS = ['get', 'post', 'delete'] as const;
const ARTICLES = /\b(?:a|an|the) /g;

/** An operation of the document, and where it stands. */
export interface DocumentedOperation {
  path: string;
  /** Where the same operation stands first; its own path unless a controller serves several. */
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

/** The summary tells operations apart; a second one that has the same is the first at another of its controller's paths. */
export function listOperations(document: OpenAPIObject): DocumentedOperation[] {
  const mainPaths = new Map<string, string>();
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const summary = operation.summary ?? '';
      const mainPath = mainPaths.get(summary) ?? path;
      mainPaths.set(summary, mainPath);
      return [{ path, mainPath, operation }];
    }),
  );
}

/** Gives an operation its id, and adds to its description which scope it needs and what it is an alias of. */
export function describeOperation({ path, mainPath, operation }: DocumentedOperation): void {
  const isAlias = path !== mainPath;
  operation.operationId = camelCase(operation.summary ?? '') + (isAlias ? 'Alias' : '');
  operation.security ??= [];
  operation.description = [
    operation.description ?? [],
    ...operation.security.map(({ key }) => `Needs a key with the scope \`${key.join(' ')}\`.`),
    ...(isAlias ? [`Answers like \`${mainPath}\`.`] : []),
  ]
    .flat()
    .join('\n\n');
  operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/RequestId' }];
}

/** `Read a notification handler` is `readNotificationHandler`. */
function camelCase(summary: string): string {
  const words = summary.toLowerCase().replace(ARTICLES, '');
  return words.replace(/ (\w)/g, (_space, letter: string) => letter.toUpperCase());
}
