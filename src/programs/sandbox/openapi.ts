import { version } from '../../../package.json';
import { CHANNELS } from '../../deliveries/channels/channel-table';
import { DNS_FAULTS, RECORD_TYPES } from './names';
import { FAULTS } from './recorder';

const ID = { type: 'integer', minimum: 1 };
const TEXT = { type: 'string' };
const TYPE = { enum: [...CHANNELS.keys()] };
const HEADERS = { type: 'object', additionalProperties: true };
const ANSWER = { $ref: '#/components/schemas/Answer' };
const DONE = { 204: { description: 'Done.' } };

const schemas = {
  Account: object({ id: ID, name: TEXT, key: TEXT }, 'id', 'name', 'key'),
  Answer: object({
    status: { type: 'integer', minimum: 200, maximum: 599 },
    headers: { type: 'object', additionalProperties: TEXT },
    body: TEXT,
    delay_ms: { type: 'integer', minimum: 0, maximum: 60_000 },
    fault: { enum: FAULTS },
  }),
  Sent: object({
    id: ID,
    time: TEXT,
    account: ID,
    type: TYPE,
    handler_id: ID,
    message_id: { type: ['integer', 'null'] },
    delivery_id: { type: ['integer', 'null'] },
    attempt: ID,
    readable: object({ title: TEXT, text: TEXT, url: TEXT }, 'title', 'text', 'url'),
    request: object({ method: TEXT, url: TEXT, headers: HEADERS, body: TEXT }),
    mail: object({ from: TEXT, to: { type: 'array', items: TEXT }, subject: TEXT, text: TEXT, raw: TEXT }),
    answer: ANSWER,
  }),
};

/** Documents the routes below `/sandbox`. Separate from the service's document, since production has none of them. */
export const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'frontdesk sandbox', version, description: 'The routes that control `frontdesk sandbox` in tests. They need no key.' },
  security: [],
  paths: {
    '/sandbox/accounts': {
      post: operation('Create an account with a key', {
        body: object({ name: TEXT, scopes: { type: 'array', items: TEXT } }),
        responses: json(201, { $ref: '#/components/schemas/Account' }),
      }),
    },
    '/sandbox/sent': {
      get: {
        ...operation('List what was sent, oldest first', {
          responses: json(200, { type: 'array', items: { $ref: '#/components/schemas/Sent' } }),
        }),
        parameters: Object.entries({ account: ID, type: TYPE, handler_id: ID, message_id: ID }).map(([name, schema]) => {
          return { name, in: 'query', schema };
        }),
      },
    },
    '/sandbox/answers': {
      post: operation('Set how receivers answer', {
        body: object(
          { account: ID, handler_id: ID, type: TYPE, host: TEXT, answers: { type: 'array', items: ANSWER }, then: ANSWER },
          'answers',
        ),
      }),
    },
    '/sandbox/dns': {
      post: operation('Set the answers of name servers', {
        body: object(
          { name: TEXT, type: { enum: RECORD_TYPES }, values: { type: 'array', items: TEXT }, fault: { enum: DNS_FAULTS } },
          'name',
        ),
      }),
    },
    '/sandbox/clock': {
      post: operation('Advance the clock', {
        body: object({ advance: { type: 'string', pattern: '^\\d{1,6}[smhd]$', examples: ['21h'] } }, 'advance'),
        responses: json(200, object({ now: { type: 'string', format: 'date-time' } }, 'now')),
      }),
    },
    '/sandbox/settle': { post: operation('Wait until nothing is due or in progress', { body: object({ account: ID }) }) },
    '/sandbox': { delete: operation('Forget everything but the first account and its key', {}) },
  },
  components: { schemas },
};

function operation(summary: string, { body, responses = DONE }: { body?: object; responses?: object }) {
  const requestBody = body && { content: { 'application/json': { schema: body } } };
  return { summary, ...(requestBody && { requestBody }), responses };
}

function object(properties: object, ...required: string[]) {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

function json(status: number, schema: object) {
  return { [status]: { description: 'Done.', content: { 'application/json': { schema } } } };
}
