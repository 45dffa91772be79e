import { STATUS_CODES } from 'node:http';
import type { ReferenceObject, ResponseObject } from '@nestjs/swagger';
import { componentName, type DocumentedStatus, errorContent, headerReference } from './error-components';
import type { DocumentedOperation } from './operations';

/** The operations that can return each error, besides those marked by `Refuses`. */
const APPLIES: Record<DocumentedStatus, (route: DocumentedOperation) => boolean> = {
  400: () => true, // even an operation without parameters refuses unknown ones
  401: isSecured,
  403: isSecured,
  404: ({ path }) => path.includes('{'),
  409: (route) => hasParameter(route, 'Idempotency-Key'),
  412: (route) => hasParameter(route, 'If-Match'),
  413: hasBody,
  415: hasBody,
  422: (route) => hasParameter(route, 'Idempotency-Key'),
  429: isSecured,
  500: () => true,
  503: ({ path }) => path !== '/health/live',
};

/** Adds an operation's error responses, and `X-Request-Id` to its other responses. */
export function addErrors(route: DocumentedOperation): void {
  const { responses } = route.operation;
  for (const [status, response] of Object.entries(responses) as [string, ResponseObject | ReferenceObject][]) {
    if (!('$ref' in response)) complete(response, status);
  }
  for (const status of Object.keys(APPLIES).map(Number) as DocumentedStatus[]) {
    const component = { $ref: `#/components/responses/${componentName(status)}` };
    if (isMark(responses[status])) responses[status] = component;
    else if (APPLIES[status](route)) responses[status] ??= component;
  }
}

/** An error that a route documents itself has the same body as the others. */
function complete(response: ResponseObject, status: string): void {
  const isError = /^[45]/.test(status);
  response.headers = { ...response.headers, 'X-Request-Id': headerReference('X-Request-Id') };
  if (isError && response.description) response.content ??= errorContent();
  if (!isError) response.description ||= STATUS_CODES[status] ?? 'The response.';
}

/** `Refuses` adds a status without a description. */
function isMark(response: ResponseObject | ReferenceObject | undefined): boolean {
  return response !== undefined && 'description' in response && !response.description;
}

function hasParameter({ operation: { parameters = [] } }: DocumentedOperation, name: string): boolean {
  return parameters.some((parameter) => 'name' in parameter && parameter.name === name);
}

function isSecured({ operation: { security = [] } }: DocumentedOperation): boolean {
  return security.length > 0;
}

function hasBody({ operation }: DocumentedOperation): boolean {
  return operation.requestBody !== undefined;
}
