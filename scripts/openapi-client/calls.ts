// One call of each kind, with a client of generated types (schema.d.ts); try-openapi-client.mjs compiles and runs it.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type Create = components['schemas']['CreateNotificationHandler'];
type Update = components['schemas']['UpdateNotificationHandler'];
type Handler = components['schemas']['NotificationHandlerRecord'];

const client = createClient<paths>({
  baseUrl: process.env.FRONTDESK_URL,
  headers: { Authorization: `Bearer ${process.env.FRONTDESK_KEY}` },
});

await callDomains();
await callHandlers();
await callNotifications();
await callScheduling();
await callInError();
console.log('The generated client compiles, and its calls are answered.');

async function callDomains() {
  const created = await client.POST('/api/domains', { body: { host: 'www.example.com' } });
  assert.equal(created.response.status, 201);
  const domain_id = created.data!.data.id;
  const path = { domain_id };

  const read = await client.GET('/api/domains/{domain_id}', { params: { path } });
  const domain = read.data!.data;
  assert.equal(domain.host satisfies string, 'www.example.com');
  const lastUpdate: string | null = domain.last_datetime;
  assert.equal(lastUpdate, null);

  const list = await client.GET('/api/domains', { params: { query: { page: 1, results_per_page: 10 } } });
  assert.deepEqual(list.data!.data, [domain]);
  assert.equal(list.data!.meta.total, 1);
  assert.equal(list.data!.links.next satisfies string | null, null);

  const updated = await client.POST('/api/domains/{domain_id}', {
    params: { path, header: { 'If-Match': read.response.headers.get('ETag')! } },
    body: { custom_index_url: 'https://example.com/welcome' },
  });
  assert.equal(updated.data!.data.id, domain_id);

  const deleted = await client.DELETE('/api/domains/{domain_id}', { params: { path } });
  assert.equal(deleted.data!.data.id, domain_id);
}

async function callHandlers() {
  const created = await client.POST('/api/notification-handlers', {
    body: { type: 'telegram', name: 'Night shift', telegram: '123456789:an-example-token', telegram_chat_id: '@night' },
    bodySerializer: toForm,
  });
  const path = { notification_handler_id: created.data!.data.id };

  const read = await client.GET('/api/notification-handler/{notification_handler_id}', { params: { path } });
  assert.equal(chatOf(read.data!.data), '@night');

  const changes: Update[] = [
    { is_enabled: false },
    { telegram_chat_id: '@day' },
    { type: 'email', email: 'ops@example.com', is_enabled: '1' },
  ];
  for (const body of changes) {
    const { response } = await client.POST('/api/notification-handlers/{notification_handler_id}', { params: { path }, body });
    assert.equal(response.status, 200);
  }
  const list = await client.GET('/api/notification-handler');
  assert.deepEqual(list.data!.data.map(addressOf), ['ops@example.com']);
}

async function callNotifications() {
  const { data } = await client.GET('/api/notifications');
  assert.deepEqual(data!.data, []);
}

async function callScheduling() {
  const list = await client.GET('/scheduling', { params: { query: { api: 'servicos', sort: 'desc' } } });
  assert.ok(Array.isArray(list.data!.data) && list.data!.data.length > 1);
  const page = await client.GET('/scheduling', { params: { query: { api: 'servicos', page: 1 } } });
  assert.ok('meta' in page.data! && page.data.meta.total === list.data!.data.length);
  const single = await client.GET('/scheduling', { params: { query: { api: 'servicos', 'servicos-id': 1 } } });
  assert.equal('servicos_id' in single.data!.data && single.data!.data.servicos_id, 1);
}

async function callInError() {
  const { data, error, response } = await client.POST('/api/domains', { body: { host: 'not a host' } });
  assert.deepEqual([data, response.status], [undefined, 400]);
  const [{ code, source } = assert.fail()] = error!.errors;
  assert.equal(code satisfies 'invalid_parameter' | (string & {}), 'invalid_parameter');
  assert.equal(source?.name, 'host');
}

/** `type` narrows `settings`. */
function chatOf(handler: Handler): string | undefined {
  return handler.type === 'telegram' ? handler.settings.telegram_chat_id : undefined;
}

function addressOf(handler: Handler): string | undefined {
  return handler.type === 'email' ? handler.settings.email : undefined;
}

function toForm(fields: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  return form;
}

/** Requests that the service refuses don't compile. */
export const refused = [
  // @ts-expect-error a field of another type
  { type: 'email', name: 'Ops', slack: 'https://example.com/hook' } satisfies Create,
  // @ts-expect-error a handler needs a type
  { name: 'Ops', email: 'ops@example.com' } satisfies Create,
  // @ts-expect-error there is no such type
  { type: 'pigeon', name: 'Ops' } satisfies Create,
  // @ts-expect-error a new handler is enabled
  { type: 'email', name: 'Ops', is_enabled: true } satisfies Create,
  // @ts-expect-error a field of another type
  { type: 'email', slack: 'https://example.com/hook' } satisfies Update,
  // @ts-expect-error neither a boolean nor one of the texts
  { is_enabled: 'yes' } satisfies Update,
  // @ts-expect-error the settings of another type
  (handler: Handler) => handler.type === 'email' && handler.settings.slack,
  // @ts-expect-error a field of another type
  () => client.POST('/api/notification-handlers', { body: { type: 'email', name: 'Ops', slack: 'https://example.com/hook' } }),
  // @ts-expect-error a page is a number
  () => client.GET('/api/domains', { params: { query: { page: 'one' } } }),
];
