import { STATUS_CODES } from 'node:http';
import type { ComponentsObject, HeaderObject, ReferenceObject, ResponseObject } from '@nestjs/swagger';
import type { Source } from '../../common/errors';
import { entryOf, errorBody, type ErrorCode, type ErrorEntry, ERRORS, titleOf } from '../request-error';
import { FORM_LIMITS } from '../input/request-body';
import type { DocumentedOperation } from './operations';

/** Excludes 405 and 408, which no documented operation returns, and the error of Twilio's callbacks, which aren't documented. */
type DocumentedCode = Exclude<ErrorCode, 'method_not_allowed' | 'request_timeout' | 'invalid_signature'>;
type DocumentedStatus = (typeof ERRORS)[DocumentedCode]['status'];

const REQUEST_ID = 'b6f1a2b0-6c0e-4a53-9d0b-0f3f2f6c1c55';

const EXAMPLES: Record<DocumentedCode, [detail: string, where?: Source['in'], name?: string]> = {
  missing_parameter: ['host is required.', 'form', 'host'],
  invalid_parameter: ['page must be an integer of 1 or more, in digits.', 'query', 'page'],
  unknown_parameter: [
    'colour is not known here; accepted: page, results_per_page, text, created_from, created_until, changed_since, orderby, sort.',
    'query',
    'colour',
  ],
  malformed_request: ['The body is not valid JSON.'],
  unauthenticated: ['The API key is malformed, unknown, expired or revoked.', 'header', 'Authorization'],
  insufficient_scope: ['The API key needs the scope domains:read.', 'header', 'Authorization'],
  not_found: ['There is no domain with this id.'],
  acknowledgement_not_requested: ['This message does not wait for an acknowledgement: it was sent without until=acknowledged.'],
  delivery_expired: ['The message of this delivery has expired: send another one.'],
  delivery_not_failed: ['Only a delivery that has failed can be retried.'],
  delivery_obsolete: ['The message of this delivery has been acknowledged, or has got through, so it is not sent again.'],
  handler_unavailable: ["The delivery's notification handler is disabled or deleted."],
  host_taken: ['This host is taken; a host belongs to one domain of the service.', 'form', 'host'],
  limit_reached: ['This account may have at most 100 domains; delete one, or ask the operator for more.'],
  public_url_missing: ['A message can wait for an acknowledgement only if the operator has set PUBLIC_URL, to which its links lead.'],
  replay_in_progress: ['A replay of this handler is in progress: 711 events are left. Wait, or end it with DELETE.'],
  replay_unconfirmed: ['Messages by twilio cost money, and this would send 711. Send confirm=1 to start it.', 'form', 'confirm'],
  idempotency_key_in_use: ['This request is being carried out.', 'header', 'Idempotency-Key'],
  cursor_expired: ['Events after this cursor are no longer kept: begin again, with after=oldest or after=latest.', 'query', 'after'],
  precondition_failed: ['The record has changed since: read it again.', 'header', 'If-Match'],
  idempotency_key_reused: ['This key was sent with another request.', 'header', 'Idempotency-Key'],
  payload_too_large: [`A body may have at most ${FORM_LIMITS.bodyBytes} bytes.`],
  unsupported_media_type: [
    'A body must not be compressed: leave Content-Encoding out; a charset belongs in Content-Type.',
    'header',
    'Content-Encoding',
  ],
  rate_limited: ['An account may send 600 requests a minute.'],
  internal_error: ['Internal error. The operator can find it in the log by this id.'],
  unavailable: ['The database does not answer, or accepts no writes. Try again.'],
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
    detail: { type: 'string', description: 'What is accepted.', examples: [EXAMPLES.invalid_parameter[0]] },
    source: SOURCE_SCHEMA,
  },
};

const ERRORS_SCHEMA = { type: 'object', required: ['errors'], properties: { errors: { type: 'array', minItems: 1, items: ENTRY_SCHEMA } } };

const CODES = Object.keys(EXAMPLES) as DocumentedCode[];
const STATUSES = [...new Set(CODES.map((code) => ERRORS[code].status))];

export const ERROR_COMPONENTS = {
  headers: HEADERS,
  responses: Object.fromEntries(STATUSES.map((status) => [componentName(status), errorResponse(status, examplesOf(status))])),
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

/** Examples of the service's own errors with this status. */
function examplesOf(status: number): ErrorEntry[] {
  return CODES.filter((code) => ERRORS[code].status === status).map((code) => {
    const [detail, where, name = ''] = EXAMPLES[code];
    return entryOf({ code, detail, source: where && { in: where, name } });
  });
}

function errorResponse(status: number, entries: readonly ErrorEntry[]): ResponseObject {
  const headers = ['X-Request-Id', ...(HEADERS_BY_STATUS[status as DocumentedStatus] ?? [])].map((name) => [name, headerReference(name)]);
  const examples = entries.map((entry) => [entry.code, { summary: entry.title, value: errorBody([entry], REQUEST_ID) }]);
  return {
    description: `${entries.map(({ title }) => title).join('; ')}.`,
    headers: Object.fromEntries(headers),
    content: errorContent({ examples: Object.fromEntries(examples) }),
  };
}

/** The operations that can return each error, besides those marked by `Refuses`. */
const APPLIES: Record<DocumentedStatus, (route: DocumentedOperation) => boolean> = {
  400: () => true, // even an operation without parameters refuses unknown ones
  401: isSecured,
  403: isSecured,
  404: ({ path }) => path.includes('{'),
  409: (route) => hasParameter(route, 'Idempotency-Key'),
  410: () => false,
  412: (route) => hasParameter(route, 'If-Match'),
  413: () => true, // of headers, if nothing else
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
    if (!('$ref' in response)) complete(response, status);
  }
  for (const status of STATUSES) {
    const isDocumented = responses[status] !== undefined && !isMark(responses[status]);
    const applies = isMark(responses[status]) || APPLIES[status](route);
    if (applies && !isDocumented) responses[status] = { $ref: `#/components/responses/${componentName(status)}` };
  }
  addOwnErrors(route);
}

/** Begins the name of the property with which `Refuses` marks an extension's route; the error code follows. */
export const OWN_ERROR_MARK = 'x-refuses-';

export interface OwnError {
  status: number;
  detail?: string;
}

/** Adds an extension's errors to the service's errors with the same status; keeps the route's own description. */
function addOwnErrors({ operation }: DocumentedOperation): void {
  const { responses } = operation;
  const marks = operation as unknown as Record<string, OwnError>;
  const own = new Map<number, ErrorEntry[]>();
  for (const mark of Object.keys(marks).filter((name) => name.startsWith(OWN_ERROR_MARK))) {
    const [code, { status, detail }] = [mark.slice(OWN_ERROR_MARK.length), marks[mark]];
    const title = titleOf(code);
    own.set(status, [...(own.get(status) ?? []), { status, code, title, detail: detail ?? `${title}.` }]);
    Reflect.deleteProperty(operation, mark);
  }
  for (const [status, entries] of own) {
    const given = responses[status];
    const response = errorResponse(status, [...(given && '$ref' in given ? examplesOf(status) : []), ...entries]);
    responses[status] = { ...response, ...(given && 'description' in given && { description: given.description }) };
  }
}

/** Completes a response that the route documents itself; an error response gets the body common to all errors. */
function complete(response: ResponseObject, status: string): void {
  const isError = /^[45]/.test(status);
  response.headers = { ...response.headers, 'X-Request-Id': headerReference('X-Request-Id') };
  if (isError && response.description) response.content ??= errorContent();
  if (!isError) response.description ||= STATUS_CODES[status] ?? 'The response.';
}

/** Whether `Refuses` added the response: it adds a status without a description. */
function isMark(response: ResponseObject | ReferenceObject | undefined): boolean {
  return response !== undefined && 'description' in response && !response.description;
}

function hasParameter({ operation: { parameters = [] } }: DocumentedOperation, name: string): boolean {
  return parameters.some((parameter) => 'name' in parameter && parameter.name === name);
}

function isSecured({ operation: { security = [] } }: DocumentedOperation): boolean {
  return security.length > 0;
}

/** Even one without fields refuses a body of a type that it can't read. */
function takesBody({ method }: DocumentedOperation): boolean {
  return ['post', 'put', 'patch'].includes(method);
}
