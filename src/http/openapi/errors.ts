import { STATUS_CODES } from 'node:http';
import type { ReferenceObject, ResponseObject } from '@nestjs/swagger';
import { componentName, type DocumentedStatus, errorContent } from './error-components';
import { headerReference } from './headers';
import type { DocumentedOperation } from './operations';

/** Which operations answer with an error, besides those that `Refuses` marks. */
const ANSWERED_BY: Record<DocumentedStatus, (route: DocumentedOperation) => boolean> = {
  400: () => true, // even an operation without parameters refuses unknown ones
  401: isSecured,
  403: isSecured,
  404: ({ path }) => path.includes('{'),
  409: ({ operation }) => takes(operation, 'Idempotency-Key'),
  412: ({ operation }) => takes(operation, 'If-Match'),
  413: hasBody,
  415: hasBody,
  422: ({ operation }) => takes(operation, 'Idempotency-Key'),
  429: isSecured,
  500: () => true,
  503: ({ path }) => path !== '/health/live',
};

const STATUSES = Object.keys(ANSWERED_BY).map(Number) as DocumentedStatus[];

/** Adds the error answers of an operation, and the header that all its answers have. */
export function addErrors(route: DocumentedOperation): void {
  const { responses } = route.operation;
  for (const [status, response] of Object.entries(responses) as [string, ResponseObject | ReferenceObject][]) {
    if (!('$ref' in response)) complete(response, status, /^[45]/.test(status));
  }
  for (const status of STATUSES) {
    const component = { $ref: `#/components/responses/${componentName(status)}` };
    if (isMark(responses[status])) responses[status] = component;
    else if (ANSWERED_BY[status](route)) responses[status] ??= component;
  }
}

/** An error that a route declares in words of its own has the body of all errors. */
function complete(response: ResponseObject, status: string, isError: boolean): void {
  response.headers = { ...response.headers, 'X-Request-Id': headerReference('X-Request-Id') };
  if (isError && response.description) response.content ??= errorContent();
  if (!isError) response.description ||= STATUS_CODES[status] ?? 'The answer.';
}

function takes({ parameters = [] }: DocumentedOperation['operation'], name: string): boolean {
  return parameters.some((parameter) => 'name' in parameter && parameter.name === name);
}

function isSecured({ operation }: DocumentedOperation): boolean {
  return operation.security!.length > 0;
}

/** What `Refuses` leaves: a status, and no word about it. */
function isMark(response: ResponseObject | ReferenceObject | undefined): boolean {
  return response !== undefined && 'description' in response && !response.description;
}

function hasBody({ operation }: DocumentedOperation): boolean {
  return operation.requestBody !== undefined;
}
