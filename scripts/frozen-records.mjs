// The records of frozen-database.mjs, some in every table, and the requests that read them.
import assert from 'node:assert/strict';
import { DataSource } from 'typeorm';
import { Campaign, Notification } from '../dist/src/notifications/notification.entity.js';
import { insertDemoScheduling } from '../dist/src/programs/demo/demo-records.js';

const HANDLERS = '/api/notification-handlers';
const LISTS = [
  ...['/api/domains', HANDLERS, '/api/notifications', '/api/messages', '/api/deliveries'],
  ...['agendamentos', 'atendentes', 'atendenteservico', 'horarios', 'servicos'].map((name) => `/scheduling?api=${name}`),
];
/** Of one record each. */
const PARTS = { '/api/domains': ['settings', 'verification'], [HANDLERS]: ['signing-secret', 'events', 'replay'] };
const OTHERS = [
  ...['/api/keys', '/api/keys/current', '/api/deliveries/statistics', '/api/domains?orderby=host&sort=desc&results_per_page=10'],
  ...[`${HANDLERS}?name=plantao`, '/api/messages?text=CAFÉ', '/api/deliveries?status=failed', '/scheduling?api=agendamentos&nome=joao'],
];
const ONCE = { method: 'POST', path: '/api/domains', headers: { 'idempotency-key': 'once' }, form: { host: 'once.example.com' } };

/** Through the interface where it has a way; the account is the sandbox's first. */
export async function createRecords(sandbox) {
  const post = async (path, form, headers = {}) => {
    const authorized = { ...headers, authorization: `Bearer ${sandbox.key}` };
    const response = await fetch(sandbox.url + path, { method: 'POST', headers: authorized, body: new URLSearchParams(form) });
    const body = await response.text();
    assert.ok(response.ok, `${path}: ${body}`);
    return JSON.parse(body).data;
  };
  const handler = async (name, type, setting) => (await post(HANDLERS, { name, type, [type]: setting })).id;

  await post('/api/keys', { name: 'website', scopes: 'domains:read', expires: '90d' });
  await insertReadOnly(sandbox);
  const discord = await handler('Plantão', 'discord', 'https://discord.example.com/1');
  await post(`${HANDLERS}/${discord}/events`, { types: 'domain.created' });
  await createDomains(sandbox, post);
  await post(ONCE.path, ONCE.form, ONCE.headers);

  const webhook = await handler('Pager', 'webhook', 'https://hooks.example.com/1');
  const gone = await handler('Gone', 'webhook', 'https://gone.example.com/1');
  const phone = await handler('Night shift 😀', 'twilio', '+5511987654321');
  await post(`${HANDLERS}/${webhook}/signing-secret`, {});
  sandbox.answer({ handler_id: gone, answers: [], then: { status: 410 } });
  await post('/api/messages', { title: 'Café', text: 'The backup failed.\n\'"\\%_ 😀', handler_ids: `${webhook},${gone},${phone}` });
  const woken = { text: 'db-1 is down', handler_ids: String(webhook), steps: `300:${phone}`, until: 'acknowledged' };
  const { id } = await post('/api/messages', { ...woken, dedup_key: 'db-1', dedup_seconds: '86400' });
  await post('/api/messages', { text: 'db-1 is still down', handler_ids: String(webhook), dedup_key: 'db-1' });
  await sandbox.advance('1m');
  await post(`/api/messages/${id}/acknowledgement`, {});
  const later = new Date(sandbox.now.getTime() + 3_600_000).toISOString();
  await post('/api/messages', { text: 'In an hour', handler_ids: String(webhook), send_at: later });
  await leaveReplay(sandbox, discord, post);
  await sandbox.advance('1m');
}

/** What no route writes. */
async function insertReadOnly(sandbox) {
  const { manager } = sandbox.get(DataSource);
  const common = { account_id: 1, is_enabled: true, datetime: '2026-11-21 14:05:09' };
  const { id: campaign_id } = await manager.save(Campaign, { ...common, name: 'Primavera' });
  const shown = { name: 'Oferta de verão', type: 'COUPON', settings: { title: 'Oferta', coupon_code: 'VERAO20' } };
  await manager.save(Notification, { ...common, ...shown, campaign_id, notification_key: '0123456789abcdef0123456789abcdef' });
  await insertDemoScheduling(manager, 1, sandbox.now.getTime());
}

/** One is verified, one updated, one deleted. */
async function createDomains(sandbox, post) {
  const ids = [];
  for (const name of ['shop', 'blog', 'docs', 'gone']) ids.push((await post('/api/domains', { host: `${name}.example.com` })).id);
  await post(`/api/domains/${ids[1]}`, { host: 'blog.example.com', custom_index_url: 'https://example.com/blog?é=1' });
  const headers = { authorization: `Bearer ${sandbox.key}` };
  const read = await fetch(`${sandbox.url}/api/domains/${ids[0]}/verification`, { headers });
  const [{ name, value }] = (await read.json()).data.records;
  sandbox.dns(name, { type: 'TXT', values: [value] });
  await fetch(`${sandbox.url}/api/domains/${ids[3]}`, { method: 'DELETE', headers });
  await sandbox.advance('1m');
}

/** The daily limit stops it in its middle. */
async function leaveReplay(sandbox, handler, post) {
  const from = new Date(sandbox.now.getTime() - 3_600_000).toISOString();
  await post(`${HANDLERS}/${handler}/replay`, { from });
  await sandbox.settle();
}

/** The recorded requests: every list and record, the feed from a saved cursor, a 304 for each entity tag, and a repeated POST. */
export async function requestsOf(ask) {
  const paths = [...OTHERS, ...LISTS];
  for (const list of LISTS.filter((path) => !path.includes('?'))) {
    const { data } = JSON.parse((await ask({ path: `${list}?results_per_page=1000` })).body);
    for (const { id } of data) paths.push(`${list}/${id}`, ...(PARTS[list] ?? []).map((part) => `${list}/${id}/${part}`));
  }
  const { meta } = JSON.parse((await ask({ path: '/api/events?limit=3' })).body);
  paths.push('/api/events?after=oldest', `/api/events?after=${meta.next}&include=record`);
  const requests = [];
  const unchanged = [];
  for (const path of paths) {
    const { status, etag } = await ask({ path });
    if (path.endsWith('/signing-secret') && status === 404) continue; // only webhooks have one
    assert.equal(status, 200, path);
    requests.push({ path });
    if (etag) unchanged.push({ path, headers: { 'if-none-match': etag } });
  }
  return [...requests, ...unchanged, ONCE];
}
