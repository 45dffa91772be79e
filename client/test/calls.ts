// One call of each kind with the installed package; package.test.mjs compiles and runs it.
import assert from 'node:assert/strict';
import { type components, createClient, FrontdeskError, type RecordOf } from '@frontdesk/client';

type Create = components['schemas']['CreateNotificationHandler'];
type Update = components['schemas']['UpdateNotificationHandler'];
type Handler = RecordOf<'/api/notification-handlers'>;

const client = createClient({ url: process.env.FRONTDESK_URL!, key: process.env.FRONTDESK_KEY! });

await callDomains();
await callHandlers();
await callMessages();
await callScheduling();
await callInError();

async function callDomains() {
  const { data: created } = await client.post('/api/domains', { body: { host: 'www.example.com' } });
  const path = { domain_id: created.id };
  const { data: domain, etag } = await client.get('/api/domains/{domain_id}', { path });
  assert.equal(domain.host satisfies string, 'www.example.com');
  const lastUpdate: string | null = domain.last_datetime;
  assert.equal(lastUpdate, null);

  const list = await client.get('/api/domains', { query: { page: 1, results_per_page: 10 } });
  assert.deepEqual(list.data, [domain]);
  assert.equal(list.meta.total satisfies number, 1);
  assert.equal(list.links.next satisfies string | null, null);

  const changes = { custom_index_url: 'https://example.com/welcome' };
  const updated = await client.update('/api/domains/{domain_id}', { path, body: changes, ifMatch: etag! });
  assert.equal(updated.data.id, created.id);
  assert.equal((await client.delete('/api/domains/{domain_id}', { path })).data.id, created.id);
}

async function callHandlers() {
  const body: Create = { type: 'telegram', name: 'Night shift', telegram: '123456789:an-example-token', telegram_chat_id: '@night' };
  const { data: created } = await client.post('/api/notification-handlers', { body });
  const path = { notification_handler_id: created.id };
  const read = await client.get('/api/notification-handler/{notification_handler_id}', { path });
  assert.equal(chatOf(read.data), '@night');

  const changes: Update[] = [
    { is_enabled: false },
    { telegram_chat_id: '@day' },
    { type: 'email', email: 'ops@example.com', is_enabled: '1' },
  ];
  for (const body of changes) await client.update('/api/notification-handlers/{notification_handler_id}', { path, body });
  const addresses: (string | undefined)[] = [];
  for await (const handler of client.records('/api/notification-handlers')) addresses.push(addressOf(handler));
  assert.deepEqual(addresses, ['ops@example.com']);
}

async function callMessages() {
  const body = { type: 'webhook', name: 'Pager', webhook: 'https://hooks.example.com/1' } as const;
  const { data: handler } = await client.post('/api/notification-handlers', { body });
  const ids = String(handler.id);
  const message = { text: 'db-1 is down.', handler_ids: ids, steps: `300:${ids}`, until: 'acknowledged' } as const;
  const { data: sent } = await client.post('/api/messages', { body: message });
  const path = { message_id: sent.id };
  const { data: acknowledgement } = await client.post('/api/messages/{message_id}/acknowledgement', { path });
  assert.equal(acknowledgement.cancelled + acknowledgement.at_work >= 1, true);
  const { data: read } = await client.get('/api/messages/{message_id}', { path });
  assert.equal(read.acknowledged?.datetime satisfies string | undefined, acknowledgement.acknowledged);
}

async function callScheduling() {
  const { data } = await client.get('/scheduling', { query: { api: 'servicos', sort: 'desc' } });
  assert.deepEqual(data, []);
  for await (const { meta } of client.pages('/scheduling', { query: { api: 'servicos' } })) assert.equal(meta.total, 0);
}

async function callInError() {
  const error: unknown = await client.post('/api/domains', { body: { host: 'not a host' } }).catch((error: unknown) => error);
  assert(error instanceof FrontdeskError);
  assert.deepEqual([error.status, error.code, error.violations[0]?.source?.name], [400, 'invalid_parameter', 'host']);
}

/** `type` narrows `settings`. */
function chatOf(handler: Handler): string | undefined {
  return handler.type === 'telegram' ? handler.settings.telegram_chat_id : undefined;
}

function addressOf(handler: Handler): string | undefined {
  return handler.type === 'email' ? handler.settings.email : undefined;
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
  () => client.post('/api/notification-handlers', { body: { type: 'email', name: 'Ops', slack: 'https://example.com/hook' } }),
  // @ts-expect-error a page is a number
  () => client.get('/api/domains', { query: { page: 'one' } }),
  // @ts-expect-error the id is missing
  () => client.get('/api/domains/{domain_id}'),
  // @ts-expect-error settings are no list
  () => client.records('/api/domains/{domain_id}/settings'),
  // @ts-expect-error a path that takes no If-Match
  () => client.update('/api/messages', { body: { text: 'Hi', handler_ids: '1' } }),
  // @ts-expect-error a path that takes no Idempotency-Key
  () => client.post('/api/deliveries/retry', { body: { status: 'failed' }, idempotencyKey: '1' }),
];
