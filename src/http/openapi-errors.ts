import type { ResponseObject } from '@nestjs/swagger';
import { componentName, type DocumentedStatus, headerReference } from './openapi-error-components';
import type { DocumentedOperation } from './openapi-operations';

/** Which operations answer with an error, besides those that `Refuses` marks. */
const ANSWERED_BY: Record<DocumentedStatus, (route: DocumentedOperation) => boolean> = {
  400: () => true, // even an operation without parameters refuses unknown ones
  401: isSecured,
  403: isSecured,
  404: ({ path }) => path.endsWith('}'),
  409: hasBody,
  412: ({ operation }) => takes(operation, 'If-Match'),
  413: hasBody,
  415: hasBody,
  422: hasBody,
  429: isSecured,
  500: () => true,
  503: ({ path }) => path !== '/health/live',
};

const STATUSES = Object.keys(ANSWERED_BY).map(Number) as DocumentedStatus[];

/** Adds the error answers of an operation, and the header that all its answers have. */
export function addErrors(route: DocumentedOperation): void {
  const { responses } = route.operation;
  for (const response of Object.values(responses) as ResponseObject[]) {
    response.headers = { ...response.headers, 'X-Request-Id': headerReference('X-Request-Id') };
  }
  for (const status of STATUSES) {
    if (status in responses || ANSWERED_BY[status](route)) responses[status] = { $ref: `#/components/responses/${componentName(status)}` };
  }
}

function takes({ parameters = [] }: DocumentedOperation['operation'], name: string): boolean {
  return parameters.some((parameter) => 'name' in parameter && parameter.name === name);
}

function isSecured({ operation }: DocumentedOperation): boolean {
  return operation.security!.length > 0;
}

function hasBody({ operation }: DocumentedOperation): boolean {
  return operation.requestBody !== undefined;
}
