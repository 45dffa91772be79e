/** @mysql whole */
import type { ResponseObject, SchemaObject } from '@nestjs/swagger';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020';
import type { Response } from 'supertest';
import { timestamp } from '../../../src/platform/common/time';
import { version } from '../../../package.json';
import type { ScopeName } from '../../../src/auth/route-policies';
import { WriteExecutor } from '../../../src/platform/database/writes/transactions';
import { Records } from '../../../src/platform/database/records/records';
import { insertDemoScheduling } from '../../../src/programs/demo/demo-records';
import { EventSources } from '../../../src/events/event-sources';
import { OperatorEvents } from '../../../src/events/operator-events';
import { ERRORS, RequestError, type ViolationSource } from '../../../src/platform/common/errors';
import { CHANNEL_TYPES, CHANNEL_SETTINGS } from '../../../src/notification-handlers/channel-settings';
import { Shutdown } from '../../../src/platform/http/server/http-server';
import { parameterName } from '../../../src/scheduling/collections/collection';
import { COLLECTIONS } from '../../../src/scheduling/collections/collections';
import { PUBLIC_URL, type TestAccount, useApplication, withApplication } from '../../support/http/application';
import { type Client, type Fields, untilServed } from '../../support/http/client';
import { expectErrors } from '../../support/http/errors';
import type { Document, Operation } from '../../support/http/openapi';
import { DOMAINS, HANDLERS, newHost } from '../../support/areas/records';
import { routeOf, RouteTable } from '../../support/http/route-table';
import { hasId, routesOf } from '../../support/http/routes';
import { COLLECTIONS as PROMISED, SCHEDULING } from '../../support/areas/scheduling-interface';

const { application, database } = useApplication();
let account: TestAccount;
let table: RouteTable;
let document: Document;
/** The operations that are called. */
let operations: Operation[];
/** A cursor of the feed from before a restore. */
let expiredCursor: string;

beforeAll(async () => {
  account = await application().createAccount();
  await insertDemoScheduling(application().dataSource.manager, account.id, Date.parse('2026-12-01'));
  await account.client.create(HANDLERS, { type: 'email', name: 'Desk' }); // for messages
  table = await RouteTable.of(application());
  document = table.document;
  operations = document.operations.filter((operation) => table.covers(operation));
  const page = await account.client.get('/api/events?after=latest').expect(200);
  expiredCursor = (page.body as { meta: { next: string } }).meta.next;
  await application().app.get(OperatorEvents).reset();
});

test('the document names the API and its server', () => {
  const { openapi, info, servers } = document.content;
  expect(openapi).toMatch(/^3\.1\./);
  expect(info).toMatchObject({ title: 'frontdesk', version, license: { name: 'MIT', identifier: 'MIT' } });
  expect(servers).toEqual([{ url: PUBLIC_URL }]);
  for (const code of Object.keys(ERRORS)) expect(info.description).toContain(`\`${code}\``);
});

test('the document has every route but /docs, acknowledgement links and Twilio callbacks', () => {
  const routes = routesOf(application())
    .filter(({ path }) => !/^\/(docs|openapi\.json|callbacks\/|acknowledge\/)/.test(path))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  expect(document.operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(routes.sort());
});

test('every operation has a unique id, a summary and a described tag', () => {
  const ids = document.operations.map(({ operationId }) => operationId);
  const described = document.content.tags!.filter(({ description }) => description).map(({ name }) => name);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[A-Z][A-Za-z]+_[a-z][A-Za-z]+(_alias1)?$/.test(id!))).toEqual([]);
  const withoutSummary = document.operations.filter(({ summary }) => !summary);
  const withoutTag = document.operations.filter(({ tags = [] }) => !tags.every((tag) => described.includes(tag)));
  expect(withoutSummary.map(({ operationId }) => operationId)).toEqual([]);
  expect(withoutTag.map(({ operationId }) => operationId)).toEqual([]);
});

/** The service's own areas; an extension's tag may have the default description. */
const OWN_TAGS = ['Custom domains', 'Notification handlers', 'Messages', 'Notifications', 'Scheduling', 'Events', 'API keys', 'Health'];

test('each tag of the service has a description other than the default', () => {
  const descriptions = new Map(document.content.tags!.map(({ name, description }) => [name, description]));
  expect([...descriptions.keys()]).toEqual(expect.arrayContaining(OWN_TAGS));
  expect(OWN_TAGS.filter((name) => descriptions.get(name)!.startsWith('The routes of'))).toEqual([]);
});

test('the example of a 400 is a response that the service sends', async () => {
  const { content } = document.resolve<ResponseObject>({ $ref: '#/components/responses/BadRequest' });
  const { invalid_parameter: example, ...others } = content!['application/json'].examples!;
  expect(others).toEqual({});
  const { value } = example as { value: { errors: [{ source: ViolationSource; detail: string }] } };
  const [{ source, detail }] = value.errors;
  expectErrors(await account.client.get(`/api/messages?${source.name}=x`), {
    code: 'invalid_parameter',
    source: `${source.in}.${source.name}`,
    detail,
  });
});

test('every parameter, field and header has an example', () => {
  const { headers } = document.content.components!;
  const parameters = operations.flatMap((operation) => operation.parameters!.map((one) => document.resolve<Example>(one).schema!));
  const fields = document.schemasOf(operations).flatMap(({ properties }) => Object.values(properties ?? {}));
  const ofParts = (field: object) =>
    'items' in field || 'anyOf' in field || ['object', 'null'].includes((field as { type?: string }).type!);
  const shown = [...parameters, ...fields.filter((field) => !ofParts(field)), ...Object.values(headers!)];
  expect(shown.filter((one) => !('example' in one || 'examples' in one))).toEqual([]);
});

test('every operation documents its required scopes, and a public one requires no key', async () => {
  for (const operation of operations) {
    const scopes = scopesOf(operation);
    for (const scope of scopes) {
      const { client } = await application().createKey(account.id, { scopes: application().scopes.filter((other) => other !== scope) });
      const refusal = await send(operation, { client });
      expect(refusal.headers['www-authenticate']).toContain(`scope="${scopes.join(' ')}"`);
      expect(operation.description).toContain(`\`${scope}\``);
      expect(operation.security).toEqual([{ key: [] }]);
    }
    if (scopes.length === 0) {
      expect(operation.security).toEqual([]);
      expect(operation.path).toMatch(/^\/health\//);
    }
  }
});

describe('the forms and records of handlers', () => {
  const schemaOf = (name: string) => document.content.components!.schemas![name] as SchemaObject;
  const [create, update] = ['CreateNotificationHandler', 'UpdateNotificationHandler'];

  test.each(['CreateNotificationHandler', 'NotificationHandlerRecord'])('%s is a union with one schema for each handler type', (name) => {
    const { oneOf, discriminator } = schemaOf(name);
    expect(discriminator!.propertyName).toBe('type');
    expect(Object.keys(discriminator!.mapping!)).toEqual(CHANNEL_TYPES);
    expect(oneOf).toEqual(Object.values(discriminator!.mapping!).map(($ref) => ({ $ref })));
    for (const type of CHANNEL_TYPES) {
      const { properties, required } = document.resolve<SchemaObject>({ $ref: discriminator!.mapping![type] });
      expect(properties!.type).toMatchObject({ enum: [type] });
      expect(required).toContain('type');
    }
  });

  test.each(CHANNEL_TYPES)('the settings of a handler of type %s have its fields', (type) => {
    const { mapping } = schemaOf('NotificationHandlerRecord').discriminator!;
    const { settings } = document.resolve<SchemaObject>({ $ref: mapping![type] }).properties!;
    expect(settings).toMatchObject({ type: 'object', required: Object.keys(CHANNEL_SETTINGS[type]) });
    expect(Object.keys((settings as SchemaObject).properties!)).toEqual(Object.keys(CHANNEL_SETTINGS[type]));
  });

  test.each([
    [true, create, { type: 'email', name: 'Night shift', email: 'night@example.com' }],
    [true, create, { type: 'email', name: 'Night shift' }],
    [false, create, { type: 'email', name: 'Night shift', slack: 'https://example.com/hook' }],
    [false, create, { name: 'Night shift', email: 'night@example.com' }],
    [false, create, { type: 'email', name: 'Night shift', is_enabled: true }],
    [true, update, {}],
    [true, update, { name: 'Day shift' }],
    [true, update, { email: 'day@example.com' }],
    [true, update, { type: 'email', is_enabled: true }],
    [true, update, { is_enabled: 0 }],
    [true, update, { is_enabled: 'false' }],
    [false, update, { is_enabled: 2 }],
    [false, update, { type: 'email', slack: 'https://example.com/hook' }],
    [false, update, { email: 'day@example.com', slack: 'https://example.com/hook' }],
  ])('the document and the application agree on validity (%s): %s %j', async (isAccepted, schema, body) => {
    expect(document.validates({ $ref: `#/components/schemas/${schema}` }, body)).toBe(isAccepted);
    const id = await account.client.create(HANDLERS, { type: 'email', name: 'Night shift' });
    const path = schema === update ? `${HANDLERS}/${id}` : HANDLERS;
    const answer = await account.client.send('POST', path).type('application/json').send(JSON.stringify(body));
    expect(answer.status < 300).toBe(isAccepted);
  });
});

describe('schemas of forms', () => {
  const converting = addFormats(new Ajv2020({ strict: false, coerceTypes: true }));
  beforeAll(() => converting.addSchema(document.content, 'document'));

  test.each([
    ['UpdateNotificationHandler', {}, 'is_enabled', ['1', '0', 'true', 'false', 1, true]],
    ['CreateMessage', { text: 'x' }, 'handler_ids', ['7', '7,8', 7, [7, 8], ['7', '8']]],
  ])('a validator with type coercion accepts %s %j with %s: %j', (schema, required, name, values) => {
    const $ref = `document#/components/schemas/${schema}`;
    const refused = values.filter((value) => !converting.validate({ $ref }, { ...required, [name]: value }));
    expect(refused).toEqual([]);
  });

  test('every oneOf has a discriminator', () => {
    const alternatives: object[] = [];
    JSON.stringify([operations, document.schemasOf(operations)], (_key, node: unknown) => {
      if (typeof node === 'object' && node !== null && 'oneOf' in node) alternatives.push(node);
      return node;
    });
    expect(alternatives.length).toBeGreaterThan(0);
    expect(alternatives.filter((node) => !('discriminator' in node))).toEqual([]);
  });
});

describe('EventRecord', () => {
  const variantOf = (type: string) => {
    const { discriminator } = document.content.components!.schemas!.EventRecord as SchemaObject;
    return document.resolve<SchemaObject>({ $ref: discriminator!.mapping![type] }).properties as Record<string, SchemaObject>;
  };
  const variant = (record: string | null, data: string[], schema?: string) => ({
    record,
    data,
    current: schema ? [{ $ref: `#/components/schemas/${schema}` }, { type: 'null' }] : undefined,
  });

  test('has a variant for each event type that the feed accepts', () => {
    const { oneOf, discriminator } = document.content.components!.schemas!.EventRecord as SchemaObject;
    expect(discriminator!.propertyName).toBe('type');
    expect(Object.keys(discriminator!.mapping!)).toEqual(application().app.get(EventSources).types);
    expect(oneOf).toEqual(Object.values(discriminator!.mapping!).map(($ref) => ({ $ref })));
  });

  test.each([
    ['domain.created', variant('domain', [], 'DomainRecord')],
    ['domain.updated', variant('domain', ['changed'], 'DomainRecord')],
    ['domain.deleted', variant('domain', ['host'], 'DomainRecord')],
    ['notification_handler.deleted', variant('notification_handler', ['name'], 'NotificationHandlerRecord')],
    ['message.created', variant('message', [], 'MessageRecord')],
    ['delivery.failed', variant('delivery', ['message_id', 'handler_id', 'outcome'], 'DeliveryWithLog')],
    ['delivery.receipt', variant('delivery', ['status', 'code'], 'DeliveryWithLog')],
    ['import.completed', variant(null, ['collection', 'inserted', 'updated', 'bad'])],
  ])('the variant %s has its record, data and current', (type, { record, data, current }) => {
    const properties = variantOf(type);
    if (record === null) expect([properties.record.type, properties.current.type]).toEqual(['null', 'null']);
    else expect((properties.record.properties!.type as SchemaObject).enum).toEqual([record]);
    expect([properties.data.required ?? [], properties.current.anyOf]).toEqual([data, current]);
  });

  test('matches the events that the feed returns with include=record', async () => {
    const id = await account.client.create(DOMAINS, { host: newHost() });
    await account.client.post(`${DOMAINS}/${id}`, { scheme: 'http://' }).expect(200);
    await account.client.delete(`${DOMAINS}/${id}`).expect(200);
    await account.client.create('/api/messages', { text: 'A text' });
    const answer = await account.client.get('/api/events?include=record&limit=1000').expect(200);
    const { data } = answer.body as { data: { type: string }[] };
    const types = ['domain.created', 'domain.updated', 'domain.deleted', 'message.created'];
    expect(data.map(({ type }) => type)).toEqual(expect.arrayContaining(types));
    document.expectDocumented(operationOf('Events_read'), answer);
  });
});

describe('responses match the document', () => {
  /** How to provoke each documented status, for any operation. */
  const PROVOKED: Record<string, (operation: Operation) => Promise<Response>> = {
    200: async (operation) => send(operation, { id: await newRecord(operation), form: formOf(operation) }),
    201: async (operation) => send(operation, { form: formOf(operation) }),
    304: async (operation) =>
      send(operation, { id: await newRecord(operation), form: formOf(operation), headers: { 'If-None-Match': '*' } }),
    400: (operation) => send(operation, { query: '?unknown=1' }),
    401: (operation) => send(operation, { client: application().client() }),
    403: async (operation) => {
      const { client } = await application().createKey(account.id, {
        scopes: application().scopes.filter((scope) => scope !== scopesOf(operation)[0]),
      });
      return send(operation, { client });
    },
    404: (operation) => send(operation, { id: 999_999_999, form: formOf(operation) }),
    409: async (operation) => {
      const form = { host: newHost() };
      const id = await newRecord(operation, {});
      if (operation.operationId === 'Messages_acknowledge') return send(operation, { id }); // takes no field and no key
      if (isReplay(operation)) return send(operation, { id: await newHandler(''), form: formOf(operation) });
      await account.client.create(DOMAINS, form);
      const taken = await send(operation, { id, form });
      if (taken.status === 409) document.expectDocumented(operation, taken);
      const inUse = RequestError.inHeader('idempotency_key_in_use', 'At work.', 'Idempotency-Key', { 'Retry-After': '1' });
      const executor = application().app.get(WriteExecutor);
      const runOnce = executor.runOnce.bind(executor);
      jest
        .spyOn(executor, 'runOnce')
        .mockImplementation((context, work) => (context.idempotency ? Promise.reject(inUse) : runOnce(context, work)));
      const answer = await send(operation, { id, form: formOf(operation), headers: { 'Idempotency-Key': 'at-work' } });
      jest.restoreAllMocks();
      return answer;
    },
    410: async (operation) =>
      isReplay(operation)
        ? send(operation, { id: await newHandler(), form: { from: expiredCursor } })
        : send(operation, { query: `?after=${expiredCursor}` }),
    412: async (operation) =>
      send(operation, { id: await newRecord(operation), form: formOf(operation), headers: { 'If-Match': '"another"' } }),
    413: async (operation) =>
      operation.method === 'POST'
        ? sendBody(operation, 'application/json', ' '.repeat(65_537))
        : send(operation, { headers: { 'X-Long': 'x'.repeat(17_000) } }),
    415: async (operation) => sendBody(operation, 'text/plain', 'host=www.example.com'),
    422: async (operation) => {
      const headers = { 'Idempotency-Key': `${operation.operationId}-${operation.path}` };
      await account.client.post(DOMAINS, { host: newHost() }).set(headers).expect(201);
      return send(operation, { id: await newRecord(operation), form: formOf(operation), headers });
    },
  };
  /** Statuses that no request can provoke. */
  const FAULTS = ['500', '503'];

  test.each(Object.keys(PROVOKED))('every operation that documents %s returns it, and no undocumented status', async (status) => {
    for (const operation of operations) {
      const answer = await PROVOKED[status](operation);
      if (status in operation.responses) expect([operation.operationId, answer.status]).toEqual([operation.operationId, Number(status)]);
      document.expectDocumented(operation, answer);
    }
  });

  test.each(COLLECTIONS)('GET /scheduling returns a documented list, page and record of $name', async ({ name, id }) => {
    const operation = operationOf('Scheduling_read');
    const list = await account.client.get(`${SCHEDULING}?api=${name}`);
    const page = await account.client.get(`${SCHEDULING}?api=${name}&page=1`);
    for (const answer of [list, page]) document.expectDocumented(operation, answer);
    const [record] = (list.body as { data: Record<string, number>[] }).data;
    if (!PROMISED.some(({ api }) => api === name)) return; // the demo has no records of an extension's collection
    const single = await account.client.get(`${SCHEDULING}?api=${name}&${parameterName(id)}=${record[id]}`);
    expect(single.body).toEqual({ data: record });
    document.expectDocumented(operation, single);
  });

  test('every path returns 405 with Allow for an undocumented method', async () => {
    for (const path of new Set(operations.map((operation) => operation.path))) {
      const concrete = path.replace(/\{\w+\}/g, '1');
      // GET /api/deliveries/retry is a wrong id of /api/deliveries/{delivery_id}.
      const isOfPath = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(concrete);
      const methods = [...new Set(document.operations.filter((operation) => isOfPath(operation.path)).map(({ method }) => method))];
      const answer = await account.client.send('PROPFIND', concrete);
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort().join(', '));
      document.expectValid({ $ref: '#/components/schemas/Errors' }, answer.body);
    }
  });

  test('every operation that requires a key returns a documented 429', async () => {
    await withApplication({ ...database().env, RATE_LIMIT: '1' }, async (limited) => {
      const client = limited.client((await application().createKey(account.id)).key);
      await client.get(DOMAINS).expect(200);
      for (const operation of operations) {
        const answer = await send(operation, { client });
        expect([operation.operationId, answer.status === 429]).toEqual([operation.operationId, scopesOf(operation).length > 0]);
        document.expectDocumented(operation, answer);
      }
    });
  });

  test('500 and 503 are documented', async () => {
    jest.spyOn(application().app.get(Records), 'findPage').mockRejectedValue(new Error('a fault'));
    const fault = await account.client.get(DOMAINS);
    application().app.get(Shutdown).isDraining = true;
    const unavailable = await application().client().get('/health/ready');
    application().app.get(Shutdown).isDraining = false;

    expect([fault.status, unavailable.status]).toEqual([500, 503]);
    document.expectDocumented(operationOf('Domains_findPage'), fault);
    document.expectDocumented(operationOf('Health_ready'), unavailable);
  });

  test('no operation documents another status', () => {
    const documented = operations.flatMap(({ responses }) => Object.keys(responses));
    expect([...new Set(documented)].sort()).toEqual([...Object.keys(PROVOKED), '429', ...FAULTS].sort());
  });
});

/** The parts of the document that may have an example, or contain such parts. */
interface Example {
  schema?: object;
  properties?: Record<string, object>;
}

interface Sent {
  client?: Client;
  id?: number;
  query?: string;
  form?: Fields;
  headers?: Record<string, string>;
}

function send({ method, path }: Operation, { client = account.client, id = 1, query = '', form, headers = {} }: Sent): Promise<Response> {
  const parameters = query || (path === SCHEDULING ? `?api=servicos&servicos-id=${id}` : '');
  const address = path.replace(/\{\w+\}/g, String(id)) + parameters;
  return (method === 'POST' ? client.post(address, form) : client.send(method, address)).set(headers).then();
}

function sendBody({ method, path }: Operation, type: string, body: string): Promise<Response> {
  return account.client
    .send(method, path.replace(/\{\w+\}/g, '1'))
    .type(type)
    .send(body)
    .then();
}

function scopesOf(operation: Operation): ScopeName[] {
  return table.scopesOf(routeOf(operation));
}

function isReplay({ operationId }: Operation): boolean {
  return operationId?.startsWith('Replays_start') ?? false;
}

/** An enabled handler with types of events, as a replay needs it. */
async function newHandler(types = 'domain.*'): Promise<number> {
  const id = await account.client.create('/api/notification-handlers', { name: 'Desk', type: 'email' });
  const { status } = await untilServed(() => account.client.post(`/api/notification-handlers/${id}/events`, { types }));
  expect(status).toBe(200);
  return id;
}

function formOf(operation: Operation): Record<string, string> {
  if (isReplay(operation)) return { from: timestamp(Date.now() - 60_000) }; // the example is too old one day
  return table.formOf(routeOf(operation));
}

/** A message for the route that acknowledges it waits for that, by default. */
async function newRecord(operation: Operation, waiting = { until: 'acknowledged' } as object): Promise<number | undefined> {
  const route = routeOf(operation);
  if (operation.operationId === 'Messages_acknowledge') return account.client.create('/api/messages', { text: 'A text', ...waiting });
  if (isReplay(operation)) return newHandler();
  return hasId(route) ? table.newRecord(account, route) : undefined;
}

function operationOf(operationId: string): Operation {
  return document.operations.find((operation) => operation.operationId === operationId)!;
}
