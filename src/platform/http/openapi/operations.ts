import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';
import { KEY_MARK, NO_KEY_MARK } from '../input/idempotency-key';
import { VALUE_LIMIT_MARK } from '../input/body-reader';

/** A key from `handlerKeys`, to which `@All()` appends the verb. */
const HANDLER_KEY = /^((.+):(.*):\d+)(?:_[a-z]+)?$/;

export interface DocumentedOperation {
  path: string;
  /** The first path of the handler; others are aliases. */
  mainPath: string;
  /** In lower case. */
  method: string;
  operation: OperationObject;
}

/**
 * An `operationIdFactory` that returns one key for all paths of a handler. A handler's paths come one after another; when there
 * are several, each method key has an index: `find[0]`, `find[1]`. Index 0, or none, begins a new handler.
 */
export function handlerKeys(): (controller: string, methodKey: string) => string {
  let count = 0;
  return (controller, methodKey) => {
    const [, method, index] = /^(.*?)(?:\[(\d+)\])?$/.exec(methodKey) ?? [];
    if (!Number(index)) count++;
    return `${method}:${controller.replace(/Controller$/, '')}:${count}`;
  };
}

/** Gives every operation an id, a summary and a description. */
export function describeOperations(document: OpenAPIObject): DocumentedOperation[] {
  const mainPaths = new Map<string, string>();
  const ids = new Set<string>();
  return operationsOf(document).map(({ path, method: verb, operation }) => {
    const { operationId: own = '', summary = '' } = operation;
    const [, key = own, method, controller = ''] = HANDLER_KEY.exec(own) ?? [];
    const mainPath = mainPaths.get(key) ?? path;
    mainPaths.set(key, mainPath);
    const id = method ? camelCase(summary) || camelCase(`${wordsOf(method)} ${wordsOf(controller)}`) : own;
    operation.operationId = uniqueId(path === mainPath ? id : `${id}Alias`, controller, ids);
    operation.summary ||= sentenceOf(operation.operationId);
    const described = { path, mainPath, method: verb, operation };
    describe(described);
    return described;
  });
}

export function pascalCase(text: string): string {
  const ascii = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return (ascii.match(/[A-Za-z0-9]+/g) ?? []).map(capitalize).join('');
}

function operationsOf({ paths }: OpenAPIObject) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** Generated clients name their methods after operation ids. */
function uniqueId(id: string, controller: string, taken: Set<string>): string {
  let candidate = id;
  for (let number = 1; taken.has(candidate); number++) candidate = id + (number === 1 ? pascalCase(wordsOf(controller)) : number);
  taken.add(candidate);
  return candidate;
}

function describe({ path, mainPath, operation }: DocumentedOperation): void {
  resolveMarks(operation);
  const scopes = requiredScopes(operation);
  // OpenAPI 3.1 allows scopes in `security` for a bearer scheme, but many tools refuse them there.
  operation.security = scopes.length > 0 ? [{ key: [] }] : [];
  if (scopes.length > 0) Object.assign(operation, { 'x-required-scopes': scopes });
  operation.description = [
    ...(operation.description ? [operation.description] : []),
    scopes.length > 0 ? `Requires a key with the ${listed(scopes)}.` : 'No key required.',
    ...(path === mainPath ? [] : [`Alias of \`${mainPath}\`.`]),
  ].join('\n\n');
  operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/RequestId' }];
}

/** `@Scope` and `@Public` each add an entry, the controller's first; the last one wins, as in the guard. */
function requiredScopes({ security = [] }: OperationObject): string[] {
  return security.at(-1)?.key ?? [];
}

function listed(scopes: string[]): string {
  return `scope${scopes.length > 1 ? 's' : ''} ${scopes.map((scope) => `\`${scope}\``).join(' and ')}`;
}

/** `findAllWidgets` → `Find all widgets` */
function sentenceOf(operationId: string): string {
  return capitalize(wordsOf(operationId).toLowerCase());
}

/** `Read a notification handler` → `readNotificationHandler`; empty when it would begin with a digit. */
function camelCase(text: string): string {
  const name = pascalCase(text.toLowerCase().replace(/\b(?:a|an|the)\b/g, ''));
  return /^[A-Za-z]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : '';
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function wordsOf(identifier: string): string {
  return identifier.replace(/([a-z0-9])([A-Z])/g, '$1 $2');
}

/** Removes the marks of `@WriteContextOf`, `@RefusesIdempotencyKey` and `@FormLimits`, and documents what they mean. */
function resolveMarks(operation: OperationObject): void {
  const marks = operation as unknown as Record<string, unknown>;
  const { [KEY_MARK]: handlesKey, [NO_KEY_MARK]: refusesKey, [VALUE_LIMIT_MARK]: bytes } = marks;
  for (const mark of [KEY_MARK, NO_KEY_MARK, VALUE_LIMIT_MARK]) Reflect.deleteProperty(operation, mark);
  if (!handlesKey || refusesKey)
    operation.parameters = operation.parameters?.filter((one) => !('name' in one && one.name === 'Idempotency-Key'));
  if (bytes === undefined) return;
  const sentence = `A form value may have at most ${Number(bytes)} bytes.`;
  operation.description = [operation.description, sentence].filter(Boolean).join('\n\n');
}
