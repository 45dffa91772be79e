import { STATUS_CODES } from 'node:http';
import type { ComponentsObject, ResponseObject } from '@nestjs/swagger';
import { FORM_LIMITS } from '../input/request-body';
import { headerReference, HEADERS, REQUEST_ID } from './headers';
import { entryOf, errorBody, type ErrorCode, ERRORS, type Source } from '../errors/request-error';

/** No operation answers 405, for it has a method; nor 408, which is the answer to what has not come to be a request. */
type DocumentedCode = Exclude<ErrorCode, 'method_not_allowed' | 'request_timeout'>;
export type DocumentedStatus = (typeof ERRORS)[DocumentedCode]['status'];

const EXAMPLES: Record<DocumentedCode, { detail: string; source?: Source }> = {
  missing_parameter: { detail: 'host is required.', source: { in: 'form', name: 'host' } },
  invalid_parameter: { detail: 'page must be an integer of 1 or more, in digits.', source: { in: 'query', name: 'page' } },
  unknown_parameter: { detail: 'sort is not known here; accepted: page, results_per_page.', source: { in: 'query', name: 'sort' } },
  malformed_request: { detail: 'A body may not hold a file.' },
  unauthenticated: {
    detail: 'The API key is malformed, unknown, expired or revoked.',
    source: { in: 'header', name: 'Authorization' },
  },
  insufficient_scope: { detail: 'The API key needs the scope domains:read.', source: { in: 'header', name: 'Authorization' } },
  not_found: { detail: 'There is no domain with this id.' },
  host_taken: { detail: 'This host is taken; a host belongs to one domain of the service.', source: { in: 'form', name: 'host' } },
  idempotency_key_in_use: {
    detail: 'This request is being carried out.',
    source: { in: 'header', name: 'Idempotency-Key' },
  },
  precondition_failed: {
    detail: 'The record has changed since: read it again.',
    source: { in: 'header', name: 'If-Match' },
  },
  idempotency_key_reused: {
    detail: 'This key was sent with another request.',
    source: { in: 'header', name: 'Idempotency-Key' },
  },
  payload_too_large: { detail: `A body may have at most ${FORM_LIMITS.bodyBytes} bytes.` },
  unsupported_media_type: { detail: 'A body must not be compressed.', source: { in: 'header', name: 'Content-Encoding' } },
  rate_limited: { detail: 'An account may send 600 requests a minute.' },
  internal_error: { detail: 'A fault of this service. Its operator finds it in the log under this id.' },
  unavailable: { detail: 'The database does not answer. Try again.' },
};

const HEADERS_OF: Partial<Record<DocumentedStatus, string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit-Policy', 'RateLimit'],
  503: ['Retry-After'],
};

const ERRORS_SCHEMA = {
  type: 'object',
  required: ['errors'],
  properties: {
    errors: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['id', 'status', 'code', 'title', 'detail'],
        properties: {
          id: { type: 'string', description: 'The id of the request.', examples: [REQUEST_ID] },
          status: { type: 'integer', description: 'The status of the answer.', examples: [400] },
          code: {
            description: 'Of an exception that an extension throws, the name of its status: `conflict`.',
            anyOf: [{ type: 'string', enum: Object.keys(ERRORS) }, { type: 'string' }],
            examples: ['invalid_parameter'],
          },
          title: { type: 'string', examples: [ERRORS.invalid_parameter.title] },
          detail: { type: 'string', description: 'What is accepted.', examples: [EXAMPLES.invalid_parameter.detail] },
          source: {
            type: 'object',
            description: 'The input at fault; left out where none is.',
            required: ['in', 'name'],
            properties: {
              in: { type: 'string', enum: ['query', 'path', 'form', 'header'], examples: ['query'] },
              name: { type: 'string', examples: ['page'] },
            },
          },
        },
      },
    },
  },
};

const CODES = Object.keys(EXAMPLES) as DocumentedCode[];
const STATUSES = [...new Set(CODES.map((code) => ERRORS[code].status))];

export const ERROR_COMPONENTS: ComponentsObject = {
  headers: HEADERS,
  responses: Object.fromEntries(STATUSES.map((status) => [componentName(status), errorResponse(status)])),
  schemas: { Errors: ERRORS_SCHEMA },
};

/** All errors, as a table in Markdown. */
export const ERROR_TABLE = [
  '| status | code | title |',
  '|---|---|---|',
  ...Object.entries(ERRORS).map(([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} |`),
].join('\n');

export function componentName(status: DocumentedStatus): string {
  return STATUS_CODES[status]!.replaceAll(' ', '');
}

/** The body of every error. */
export function errorContent(examples = {}) {
  return { 'application/json': { schema: { $ref: '#/components/schemas/Errors' }, ...examples } };
}

function errorResponse(status: DocumentedStatus): ResponseObject {
  const codes = CODES.filter((code) => ERRORS[code].status === status);
  const names = ['X-Request-Id', ...(HEADERS_OF[status] ?? [])];
  const examples = codes.map((code) => [
    code,
    { summary: ERRORS[code].title, value: errorBody([entryOf({ code, ...EXAMPLES[code] })], REQUEST_ID) },
  ]);
  return {
    description: `${codes.map((code) => ERRORS[code].title).join('; ')}.`,
    headers: Object.fromEntries(names.map((name) => [name, headerReference(name)])),
    content: errorContent({ examples: Object.fromEntries(examples) }),
  };
}
