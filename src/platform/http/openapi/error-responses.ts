import { STATUS_CODES } from 'node:http';
import type { ComponentsObject, HeaderObject, ReferenceObject, ResponseObject } from '@nestjs/swagger';
import { type ErrorCode, ERRORS, type ViolationSource } from '../../common/errors';
import { entryOf, errorBody } from '../error-body';
import { FORM_LIMITS } from '../input/request-body';
import type { DocumentedOperation } from './operations';

/** No documented operation returns a 405 or a 408. */
type DocumentedStatus = Exclude<(typeof ERRORS)[ErrorCode]['status'], 405 | 408>;

const REQUEST_ID = 'b6f1a2b0-6c0e-4a53-9d0b-0f3f2f6c1c55';

/** An example for each status; scripts/reference.mjs has one for each code. */
const EXAMPLES: Record<DocumentedStatus, [code: ErrorCode, detail: string, where?: ViolationSource['in'], name?: string]> = {
  400: ['invalid_parameter', 'page must be an integer of 1 or more, in digits.', 'query', 'page'],
  401: ['unauthenticated', 'The API key is malformed, unknown, expired or revoked.', 'header', 'Authorization'],
  403: ['insufficient_scope', 'The API key needs the scope domains:read.', 'header', 'Authorization'],
  404: ['not_found', 'There is no domain with this id.'],
  409: ['host_taken', 'This host is taken; a host belongs to one domain of the service.', 'form', 'host'],
  410: ['cursor_expired', 'Events after this cursor are no longer kept: begin again, with after=oldest or after=latest.', 'query', 'after'],
  412: ['precondition_failed', 'The record has changed since: read it again.', 'header', 'If-Match'],
  413: ['payload_too_large', `A body may have at most ${FORM_LIMITS.bodyBytes} bytes.`],
  415: [
    'unsupported_media_type',
    'A body must not be compressed: leave Content-Encoding out; a charset belongs in Content-Type.',
    'header',
    'Content-Encoding',
  ],
  422: ['idempotency_key_reused', 'This key was sent with another request.', 'header', 'Idempotency-Key'],
  429: ['rate_limited', 'An account may send 600 requests a minute.'],
  500: ['internal_error', 'Internal error. The operator can find it in the log by this id.'],
  503: ['unavailable', 'The database is not responding, or accepts no writes. Try again.'],
};

const HEADERS: Record<string, HeaderObject> = {
  'X-Request-Id': header("Request id: the client's, or a generated one.", REQUEST_ID),
  'WWW-Authenticate': header('Bearer challenge (RFC 6750).', 'Bearer realm="frontdesk", error="invalid_token"'),
  'Retry-After': header('Seconds to wait.', 1, { type: 'integer', minimum: 0 }),
  'RateLimit-Policy': header(
    'Requests per account (`q`) in a window of `w` seconds; draft-ietf-httpapi-ratelimit-headers.',
    '"account";q=600;w=60',
  ),
  RateLimit: header('Requests left in the window (`r`), and seconds until it resets (`t`).', '"account";r=0;t=30'),
};

const HEADERS_BY_STATUS: Partial<Record<DocumentedStatus, string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit-Policy', 'RateLimit'],
  503: ['Retry-After'],
};

const SOURCE_SCHEMA = {
  type: 'object',
  description: 'The invalid input, if the error has one.',
  required: ['in', 'name'],
  properties: {
    in: { type: 'string', enum: ['query', 'path', 'form', 'header'], examples: ['query'] },
    name: { type: 'string', examples: ['page'] },
  },
};

const ENTRY_SCHEMA = {
  type: 'object',
  required: ['id', 'status', 'code', 'title', 'detail'],
  properties: {
    id: { type: 'string', description: 'Request id.', examples: [REQUEST_ID] },
    status: { type: 'integer', description: 'The response status.', examples: [400] },
    code: {
      description: 'For an exception thrown by an extension, its own code, or the name of its status, such as `conflict`.',
      anyOf: [{ type: 'string', enum: Object.keys(ERRORS) }, { type: 'string' }],
      examples: ['invalid_parameter'],
    },
    title: { type: 'string', examples: [ERRORS.invalid_parameter.title] },
    detail: { type: 'string', description: 'What is accepted.', examples: [EXAMPLES[400][1]] },
    source: SOURCE_SCHEMA,
  },
};

const ERRORS_SCHEMA = { type: 'object', required: ['errors'], properties: { errors: { type: 'array', minItems: 1, items: ENTRY_SCHEMA } } };

const DOCUMENTED_STATUSES = Object.keys(EXAMPLES).map(Number) as DocumentedStatus[];

export const ERROR_COMPONENTS = {
  headers: HEADERS,
  responses: Object.fromEntries(DOCUMENTED_STATUSES.map((status) => [componentName(status), errorResponse(status)])),
  schemas: { Errors: ERRORS_SCHEMA },
} satisfies ComponentsObject;

/** All errors, as a Markdown table. */
export const ERROR_TABLE = [
  '| status | code | title |',
  '|---|---|---|',
  ...Object.entries(ERRORS).map(([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} |`),
].join('\n');

function componentName(status: DocumentedStatus): string {
  return STATUS_CODES[status]!.replaceAll(' ', '');
}

function headerReference(name: string) {
  return { $ref: `#/components/headers/${name}` };
}

/** The body of every error. */
function errorContent(examples = {}) {
  return { 'application/json': { schema: { $ref: '#/components/schemas/Errors' }, ...examples } };
}

function header(description: string, example: string | number, schema: HeaderObject['schema'] = { type: 'string' }): HeaderObject {
  return { description, required: true, schema, example };
}

function errorResponse(status: DocumentedStatus): ResponseObject {
  const [code, detail, where, name = ''] = EXAMPLES[status];
  const entry = entryOf({ code, detail, source: where && { in: where, name } });
  const headers = ['X-Request-Id', ...(HEADERS_BY_STATUS[status] ?? [])].map((name) => [name, headerReference(name)]);
  // Twilio's callbacks, which return invalid_signature, aren't documented.
  const errors = Object.entries(ERRORS).filter(([name, error]) => error.status === status && name !== 'invalid_signature');
  return {
    description: `${errors.map(([, { title }]) => title).join('; ')}.`,
    headers: Object.fromEntries(headers),
    content: errorContent({ examples: { [code]: { summary: entry.title, value: errorBody([entry], REQUEST_ID) } } }),
  };
}

/** Whether an operation can return a status, apart from those that `ApiError` marks. */
const CAN_RETURN: Record<DocumentedStatus, (route: DocumentedOperation) => boolean> = {
  400: () => true, // even an operation without parameters refuses unknown ones
  401: isSecured,
  403: isSecured,
  404: ({ path }) => path.includes('{'),
  409: (route) => hasParameter(route, 'Idempotency-Key'),
  410: () => false,
  412: (route) => hasParameter(route, 'If-Match'),
  413: () => true, // the headers may also be too large
  415: takesBody,
  422: (route) => hasParameter(route, 'Idempotency-Key'),
  429: isSecured,
  500: () => true,
  503: ({ path }) => path !== '/health/live',
};

/** Adds an operation's error responses, and `X-Request-Id` to its other responses. */
export function addErrors(route: DocumentedOperation): void {
  const { responses } = route.operation;
  for (const [status, response] of Object.entries(responses) as [string, ResponseObject | ReferenceObject][]) {
    if (!('$ref' in response)) completeResponse(response, status);
  }
  for (const status of DOCUMENTED_STATUSES) {
    const isDocumented = responses[status] !== undefined && !isApiErrorMark(responses[status]);
    const applies = isApiErrorMark(responses[status]) || CAN_RETURN[status](route);
    if (applies && !isDocumented) responses[status] = { $ref: `#/components/responses/${componentName(status)}` };
  }
}

/** Completes a response that the route documents itself; an error response gets the body common to all errors. */
function completeResponse(response: ResponseObject, status: string): void {
  const isError = /^[45]/.test(status);
  response.headers = { ...response.headers, 'X-Request-Id': headerReference('X-Request-Id') };
  if (isError && response.description) response.content ??= errorContent();
  if (!isError) response.description ||= STATUS_CODES[status] ?? 'The response.';
}

/** Whether `ApiError` added the response: it adds a status without a description. */
function isApiErrorMark(response: ResponseObject | ReferenceObject | undefined): boolean {
  return response !== undefined && 'description' in response && !response.description;
}

function hasParameter({ operation: { parameters = [] } }: DocumentedOperation, name: string): boolean {
  return parameters.some((parameter) => 'name' in parameter && parameter.name === name);
}

function isSecured({ operation: { security = [] } }: DocumentedOperation): boolean {
  return security.length > 0;
}

/** Even an operation without fields reads the body, and so refuses unsupported types. */
function takesBody({ method }: DocumentedOperation): boolean {
  return ['post', 'put', 'patch'].includes(method);
}
