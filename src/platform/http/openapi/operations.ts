import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';
import { KEY_MARK, NO_KEY_MARK } from '../input/idempotency-key';
import { VALUE_LIMIT_MARK } from '../input/body-reader';

export interface DocumentedOperation {
  path: string;
  /** The first path of the handler; others are aliases. */
  mainPath: string;
  /** HTTP method, in lower case. */
  method: string;
  operation: OperationObject;
}

/** `Domains_find`. @nestjs/swagger numbers the methods of a handler with several paths: `find[0]`, and `find[1]` for its first alias. */
export function operationId(controller: string, method: string): string {
  return `${controller.replace(/Controller$/, '')}_${method.replace('[0]', '').replace(/\[(\d+)\]$/, '_alias$1')}`;
}

/** Completes every operation's description. */
export function describeOperations(document: OpenAPIObject): DocumentedOperation[] {
  const mainPaths = new Map<string, string>();
  return operationsOf(document).map(({ path, method, operation }) => {
    const handler = operation.operationId!.replace(/_alias\d+/, '');
    const mainPath = mainPaths.get(handler) ?? path;
    mainPaths.set(handler, mainPath);
    const described = { path, mainPath, method, operation };
    describe(described);
    return described;
  });
}

export function pascalCase(text: string): string {
  const ascii = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return (ascii.match(/[A-Za-z0-9]+/g) ?? []).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function operationsOf({ paths }: OpenAPIObject) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => ({ path, method, operation })),
  );
}

function describe({ path, mainPath, operation }: DocumentedOperation): void {
  resolveMarks(operation);
  const scopes = requiredScopes(operation);
  // OpenAPI 3.1 allows scopes in `security` for a bearer scheme, but many tools refuse them there.
  operation.security = scopes ? [{ key: [] }] : [];
  if (scopes && scopes.length > 0) Object.assign(operation, { 'x-required-scopes': scopes });
  operation.description = [
    ...(operation.description ? [operation.description] : []),
    requirementOf(scopes),
    ...(path === mainPath ? [] : [`Alias of \`${mainPath}\`.`]),
  ].join('\n\n');
  operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/RequestId' }];
}

/** Undefined if no key is required. `@Scope` and `@Public` each add an entry, the controller's first; the last one wins, as in the guard. */
function requiredScopes({ security = [] }: OperationObject): string[] | undefined {
  return security.at(-1)?.key;
}

function requirementOf(scopes: string[] | undefined): string {
  if (!scopes) return 'No key required.';
  if (scopes.length === 0) return 'Requires a key, whatever its scopes.';
  return `Requires a key with the scope${scopes.length > 1 ? 's' : ''} ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`;
}

/** Removes the marks of `@WriteContextOf`, `@RefusesIdempotencyKey` and `@FormLimits`, and documents what they mean. */
function resolveMarks(operation: OperationObject): void {
  const marks = operation as unknown as Record<string, unknown>;
  const { [KEY_MARK]: handlesKey, [NO_KEY_MARK]: refusesKey, [VALUE_LIMIT_MARK]: bytes } = marks;
  for (const mark of [KEY_MARK, NO_KEY_MARK, VALUE_LIMIT_MARK]) Reflect.deleteProperty(operation, mark);
  if (!handlesKey || refusesKey)
    operation.parameters = operation.parameters?.filter((each) => !('name' in each && each.name === 'Idempotency-Key'));
  if (bytes === undefined) return;
  const sentence = `A form value may have at most ${Number(bytes)} bytes.`;
  operation.description = [operation.description, sentence].filter(Boolean).join('\n\n');
}
