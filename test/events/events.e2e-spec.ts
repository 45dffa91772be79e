/** @mysql always */
import { OperatorVerifications } from '../../src/domains/verification/operator-verifications';
import type { ScopeName } from '../../src/auth/route-policies';
import { type TestAccount, useApplication } from '../support/http/application';
import { runCommand } from '../support/areas/command';
import { onMysql } from '../support/servers/database';
import { createWebhook, failedDelivery, finished, readDelivery, sendMessage } from '../support/areas/deliveries';
import { expectErrors } from '../support/http/errors';
import { receiver } from '../support/servers/receiver';
import { DELIVERIES, DOMAINS, HANDLERS, MESSAGES, newHost } from '../support/areas/records';

const EVENTS = '/api/events';

interface EventBody {
  id: string;
  type: string;
  datetime: string;
  record: { type: string; id: number } | null;
  actor: { type: string; id: number | null };
  data: Record<string, unknown>;
  current?: Record<string, unknown> | null;
}

interface PageBody {
  data: EventBody[];
  meta: { next: string; has_more: boolean };
}

const { application, database } = useApplication();
let account: TestAccount;

beforeEach(async () => {
  account = await application().createAccount();
});

async function read(query = '', { client }: Pick<TestAccount, 'client'> = account): Promise<PageBody> {
  return (await client.get(`${EVENTS}?limit=1000${query}`).expect(200)).body as PageBody;
}

const typesOf = ({ data }: PageBody) => data.map(({ type }) => type);
const withScopes = async (...scopes: ScopeName[]) => application().createKey(account.id, { scopes });
const addDomain = (host = newHost()) => account.client.create(DOMAINS, { host });
const verify = (id: number) => application().app.get(OperatorVerifications).verify(id);

describe('event', () => {
  test('an event has its fields in order, with actor and change', async () => {
    const host = newHost();
    const id = await addDomain(host);
    await account.client.post(`${DOMAINS}/${id}`, { scheme: 'http://', custom_index_url: 'https://example.com/secret' }).expect(200);
    await account.client.delete(`${DOMAINS}/${id}`).expect(200);
    const { data } = await read();
    const common = { datetime: expect.any(String) as string, record: { type: 'domain', id }, actor: { type: 'key', id: account.keyId } };
    expect(data).toEqual([
      { id: data[0].id, type: 'domain.created', ...common, data: {} },
      { id: data[1].id, type: 'domain.updated', ...common, data: { changed: ['scheme', 'custom_index_url'] } },
      { id: data[2].id, type: 'domain.deleted', ...common, data: { host } },
    ]);
    for (const event of data) expect(Object.keys(event)).toEqual(['id', 'type', 'datetime', 'record', 'actor', 'data']);
    for (const event of data) expect(event.id).toMatch(/^evt_[0-9a-f]{10}_\d+$/);
    expect(new Set(data.map((event) => event.id)).size).toBe(3);
  });

  test('an event of a handler lists the changed fields without values', async () => {
    const id = await account.client.create(HANDLERS, { name: 'Desk', type: 'slack', slack: 'https://hooks.example.com/canary' });
    await account.client.post(`${HANDLERS}/${id}`, { name: 'Front desk' }).expect(200);
    await account.client.post(`${HANDLERS}/${id}`, { is_enabled: '0', slack: 'https://hooks.example.com/other' }).expect(200);
    await account.client.delete(`${HANDLERS}/${id}`).expect(200);
    const page = await read('&types=notification_handler.*');
    expect(page.data.map(({ data }) => data)).toEqual([
      {},
      { changed: ['name'] },
      { changed: ['is_enabled', 'settings'] },
      { name: 'Front desk' },
    ]);
    expect(JSON.stringify(page)).not.toContain('hooks.example.com');
  });

  test('the actor of an event is the operator, the service or a key', async () => {
    const id = await addDomain();
    expect(await runCommand(database().env, ['domains', 'disable', String(id)])).toMatchObject({ code: 0 });
    await verify(id);
    const handler = await createWebhook(account, receiver.url('/'));
    const [delivery] = await sendMessage(account, [handler]);
    await finished(account, delivery);
    const { data } = await read('&types=domain.updated,domain.verified,delivery.delivered');
    expect(data.map(({ type, actor }) => [type, actor])).toEqual([
      ['domain.updated', { type: 'operator', id: null }],
      ['domain.verified', { type: 'operator', id: null }],
      ['delivery.delivered', { type: 'service', id: null }],
    ]);
    const { message_id } = await readDelivery(account, delivery);
    expect(data[2]).toMatchObject({
      record: { type: 'delivery', id: delivery },
      data: { message_id, handler_id: handler, outcome: 'delivered' },
    });
  });

  test('changing the host of a verified domain also sends domain.unverified', async () => {
    const id = await addDomain();
    await verify(id);
    await account.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(200);
    const lost = (await read('&types=domain.unverified,domain.updated')).data;
    expect(lost.map(({ type, actor }) => [type, actor.id])).toEqual([
      ['domain.unverified', account.keyId],
      ['domain.updated', account.keyId],
    ]);
  });

  test('failed and retried deliveries send events', async () => {
    const failed = await failedDelivery(account, await createWebhook(account, receiver.url('/')));
    await account.client.post(`${DELIVERIES}/${failed}/retry`).expect(200);
    await finished(account, failed);
    const { data } = await read('&types=delivery.*');
    expect(data.map(({ type, record, actor }) => [type, record?.id, actor.type])).toEqual([
      ['delivery.failed', failed, 'service'],
      ['delivery.retried', failed, 'key'],
      ['delivery.delivered', failed, 'service'],
    ]);
  });
});

describe('GET /api/events scopes', () => {
  test('the feed returns only events of records that the key may read', async () => {
    await addDomain();
    await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
    expect(typesOf(await read('', await withScopes('events:read', 'domains:read')))).toEqual(['domain.created']);
    expect(typesOf(await read('', await application().createAccount()))).toEqual([]);
    expectErrors(await (await withScopes('domains:read')).client.get(EVENTS), {
      code: 'insufficient_scope',
      source: 'header.Authorization',
      detail: /events:read/,
    });
  });

  test('a type whose scope is missing returns 403 and names the scope', async () => {
    const { client } = await withScopes('events:read', 'notification-handlers:read');
    const lacks = { code: 'insufficient_scope', source: 'header.Authorization' } as const;
    expectErrors(await client.get(`${EVENTS}?types=message.created,domain.created`), { ...lacks, detail: /messages:read\.$/ });
    expectErrors(await client.get(`${EVENTS}?types=import.completed`), {
      ...lacks,
      detail: 'The API key needs the scopes scheduling:read and notifications:read.',
    });
    await client.get(`${EVENTS}?types=notification_handler.*`).expect(200);
  });

  test('the feed returns only imports of collections that the key may read', async () => {
    const columns = 'datetime, account_id, action, record, is_audited, data';
    const values = "'2026-11-21 14:05:09', ?, 'complete', 'import', 0, ?";
    for (const collection of ['servicos', 'campaigns'])
      await application().dataSource.query(`INSERT INTO events (${columns}) VALUES (${values})`, [
        account.id,
        JSON.stringify({ collection }),
      ]);
    const seen = async (...scopes: ScopeName[]) =>
      (await read('', await withScopes('events:read', ...scopes))).data.map(({ data }) => data.collection);
    expect(await seen('scheduling:read')).toEqual(['servicos']);
    expect(await seen('notifications:read')).toEqual(['campaigns']);
    expect(await seen('domains:read')).toEqual([]);
  });

  test('include=record adds records as the key would read them', async () => {
    const slack = 'https://hooks.example.com/canary';
    const handler = await account.client.create(HANDLERS, { name: 'Desk', type: 'slack', slack });
    const id = await addDomain();
    const gone = await addDomain();
    await account.client.delete(`${DOMAINS}/${gone}`).expect(200);
    const domain = (await account.client.get(`${DOMAINS}/${id}`)).body as { data: object };
    const currents = async (key: Pick<TestAccount, 'client'>) => {
      const { data } = await read('&include=record', key);
      return new Map(data.map(({ type, record, current }) => [`${type} ${record!.id}`, current]));
    };
    const masked = await currents(await withScopes('events:read', 'domains:read', 'notification-handlers:read'));
    expect(masked.get(`domain.created ${id}`)).toEqual(domain.data);
    expect([masked.get(`domain.created ${gone}`), masked.get(`domain.deleted ${gone}`)]).toEqual([null, null]);
    expect(masked.get(`notification_handler.created ${handler}`)).toMatchObject({ settings: { slack: '••••nary' } });
    expect((await currents(account)).get(`notification_handler.created ${handler}`)).toMatchObject({ settings: { slack } });
  });
});

describe('GET /api/events cursor', () => {
  test('a cursor returns each event once, in the same order for any limit', async () => {
    for (let count = 0; count < 5; count++) await addDomain();
    const all = (await read()).data;
    const seen: EventBody[] = [];
    for (let after = 'oldest', more = true; more;) {
      const { data, meta } = (await account.client.get(`${EVENTS}?limit=2&after=${after}`).expect(200)).body as PageBody;
      seen.push(...data);
      [after, more] = [meta.next, meta.has_more];
    }
    expect([seen, seen.length]).toEqual([all, 5]);
  });

  test('a cursor advances past filtered events, and is valid for other types', async () => {
    await addDomain();
    await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
    const page = await read('&types=message.created');
    expect([page.data, page.meta.has_more]).toEqual([[], false]);
    expect((await read(`&after=${page.meta.next}`)).data).toEqual([]);
    const first = (await account.client.get(`${EVENTS}?types=domain.*&limit=1`)).body as PageBody;
    expect(typesOf(await read(`&after=${first.meta.next}&types=notification_handler.*`))).toEqual([]);
  });

  test('after=latest returns a cursor for events that follow', async () => {
    await addDomain();
    const { data, meta } = await read('&after=latest');
    expect([data, meta.has_more]).toEqual([[], false]);
    const id = await addDomain();
    expect((await read(`&after=${meta.next}`)).data.map(({ record }) => record?.id)).toEqual([id]);
  });

  test('rejects cursors that are made up, altered or from another account', async () => {
    const { next } = (await read()).meta;
    const other = await application().createAccount();
    const forged = Buffer.from(
      Buffer.from(next, 'base64url')
        .toString()
        .replace(/\.\d+\./, '.1.'),
    ).toString('base64url');
    for (const after of ['newest', 'eyJ9', `${next}A`, forged, (await read('', other)).meta.next])
      expectErrors(await account.client.get(`${EVENTS}?after=${after}`), { code: 'invalid_parameter', source: 'query.after' });
  });

  test('a reset expires cursors and keeps event ids', async () => {
    await addDomain();
    const before = await read();
    expect(await runCommand(database().env, ['events', 'reset'])).toMatchObject({ code: 0 });
    const expired = await account.client.get(`${EVENTS}?after=${before.meta.next}`);
    expectErrors(expired, { code: 'cursor_expired', source: 'query.after', detail: /oldest.*latest/ });
    await addDomain();
    const after = await read();
    expect(after.data[0]).toEqual(before.data[0]);
    const [epoch, later] = after.data.map(({ id }) => id.split('_')[1]);
    expect(later).not.toBe(epoch);
    expect((await read(`&after=${after.meta.next}`)).data).toEqual([]);
  });
});

test.each([
  ['types=domain.gone', 'types', /domain\.created.*notification_handler\.updated/],
  ['types=domain', 'types', /domain\.created.*notification_handler\.updated/],
  ['types=Domain.Created', 'types', /domain\.created/],
  ['types=', 'types', /without duplicates/],
  ['types=domain.*,domain.*', 'types', /without duplicates/],
  ['limit=0', 'limit', /from 1 to 1000/],
  ['limit=1001', 'limit', /from 1 to 1000/],
  ['wait=31', 'wait', /from 0 to 30/],
  ['wait=1.5', 'wait', /from 0 to 30/],
  ['include=secrets', 'include', /record/],
])('the feed rejects %s and lists accepted values', async (query, name, detail) => {
  expectErrors(await account.client.get(`${EVENTS}?${query}`), { code: 'invalid_parameter', source: `query.${name}`, detail });
});

test('events of messages do not contain the text', async () => {
  const handler = await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
  await account.client.create(MESSAGES, { text: 'The canary sings.', handler_ids: String(handler) });
  await account.client.get(MESSAGES).expect(200);
  const page = await read('&types=message.*');
  expect([typesOf(page), JSON.stringify(page).includes('canary')]).toEqual([['message.created'], false]);
});

(onMysql ? test : test.skip)('numbers from another process are shown after a commit of this process', async () => {
  const { dataSource } = application();
  const commits = async () => {
    const [row] = await dataSource.query<{ commits: string }[]>(
      "SELECT SUM(updated) AS commits FROM list_changes WHERE list = 'event_log'",
    );
    return Number(row.commits);
  };
  const before = await commits();
  for (let tries = 0; tries < 20 && (await commits()) === before; tries++) {
    await dataSource.query('UPDATE event_log SET last = last + 1'); // as another process does; this process may commit its own numbers first
    await read();
  }
  const after = await commits();
  expect(after).toBeGreaterThan(before);
  await read();
  expect(await commits()).toBe(after);
});
