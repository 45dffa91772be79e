/** @mysql whole */
import type { ScopeName } from '../../src/auth/route-policies';
import { AccountsService } from '../../src/auth/accounts/accounts.service';
import { ApiKeysService } from '../../src/auth/accounts/api-keys.service';
import { type TestAccount, useApplication } from '../support/http/application';
import { stopClock } from '../support/jest/clock';
import { expectErrors } from '../support/http/errors';
import { DOMAINS } from '../support/areas/records';

const KEYS = '/api/keys';
const HELD: readonly ScopeName[] = ['domains:read', 'events:read', 'keys:write'];

const { application } = useApplication();
let account: TestAccount;
/** Of a key with keys:write. */
let { client, keyId: maker } = {} as TestAccount;

beforeEach(async () => {
  account = await application().createAccount();
  ({ client, keyId: maker } = await application().createKey(account.id, { name: 'maker', scopes: HELD }));
});

interface KeyBody {
  id: number;
  name: string;
  scopes: string[];
  expires: string | null;
  last_used: string | null;
  datetime: string;
}

async function create(form: Record<string, string>): Promise<{ id: number; key: string }> {
  const { body } = await client.post(KEYS, form).expect(201);
  return (body as { data: { id: number; key: string } }).data;
}

async function list(): Promise<KeyBody[]> {
  return ((await client.get(KEYS).expect(200)).body as { data: KeyBody[] }).data;
}

const ofForm = (detail: string) => ({ code: 'invalid_parameter', source: 'form.scopes', detail }) as const;

describe('GET /api/keys', () => {
  test('returns the account’s keys with their fields in order, without revoked ones', async () => {
    const { id: other } = await application().createAccount();
    await application().createKey(other);
    const { id } = await create({ name: 'website', scopes: 'domains:read', expires: '90d' });
    const gone = await create({ name: 'gone' });
    await client.delete(`${KEYS}/${gone.id}`).expect(200, `{"data":{"id":${gone.id}}}`);
    const keys = await list();
    expect(keys.map(({ name, scopes }) => [name, scopes])).toEqual([
      ['test', ['*']],
      ['maker', HELD],
      ['website', ['domains:read']],
    ]);
    const website = keys.find((key) => key.id === id)!;
    expect(Object.keys(website)).toEqual(['id', 'name', 'scopes', 'expires', 'last_used', 'datetime']);
    expect(website.last_used).toBeNull();
    const days = (Date.parse(`${website.expires}Z`) - Date.parse(`${website.datetime}Z`)) / 86_400_000;
    expect(days).toBeCloseTo(90, 3);
  });

  test('returns keys in pages', async () => {
    for (let index = 0; index < 10; index++) await create({ name: `key ${index}` });
    const { body } = await client.get(`${KEYS}?page=2&results_per_page=10`).expect(200);
    expect(body).toMatchObject({ data: [{ name: 'key 8' }, { name: 'key 9' }], meta: { total: 12, total_pages: 2 } });
    expect((body as { links: { self: string } }).links.self).toMatch(/\/api\/keys\?&page=2&results_per_page=10$/);
    await client.get(`${KEYS}?page=9007199254740991&results_per_page=1000`).expect(200);
  });
});

describe('POST /api/keys', () => {
  test('creates a key with the creating key’s scopes except keys:write', async () => {
    const { key, id } = await create({ name: 'website' });
    expect(key).toMatch(/^fd_[0-9A-Za-z]{38}$/);
    expect((await list()).find((one) => one.id === id)).toMatchObject({ scopes: ['domains:read', 'events:read'], expires: null });
    const made = application().client(key);
    await made.get(DOMAINS).expect(200);
    expectErrors(await made.get('/api/messages'), { code: 'insufficient_scope', source: 'header.Authorization' });
    expectErrors(await made.get(KEYS), { code: 'insufficient_scope', source: 'header.Authorization' });
  });

  test('creates a key that works until it expires or is revoked', async () => {
    const clock = stopClock();
    const [brief, lasting] = [await create({ name: 'brief', expires: '1h' }), await create({ name: 'lasting' })];
    clock.move(3_601_000);
    await application().client(brief.key).get(DOMAINS).expect(401);
    await application().client(lasting.key).get(DOMAINS).expect(200);
    await client.delete(`${KEYS}/${lasting.id}`).expect(200);
    clock.move(1_000);
    await application().client(lasting.key).get(DOMAINS).expect(401);
    expectErrors(await client.delete(`${KEYS}/${lasting.id}`), { code: 'not_found' });
  });

  test('creates a key that expires no later than the creating key', async () => {
    stopClock();
    const expires = new Date(Date.now() + 10 * 86_400_000);
    const { client: brief } = await application().createKey(account.id, { scopes: ['keys:write', 'domains:read'], expires });
    const made = async (fields: Record<string, string>) => {
      const { body } = await brief.post(KEYS, { name: 'x', ...fields }).expect(201);
      return (await list()).find(({ id }) => id === (body as { data: { id: number } }).data.id)!;
    };
    const end = expires.toISOString().slice(0, 19).replace('T', ' ');
    expect((await made({})).expires).toBe(end);
    expect((await made({ expires: '9d' })).expires).not.toBe(end);
    expectErrors(await brief.post(KEYS, { name: 'x', expires: '11d' }), {
      code: 'invalid_parameter',
      source: 'form.expires',
      detail: `expires must not be after ${end}, when the key that makes this one expires.`,
    });
  });

  test('stores only the hash of a key, and audits the creating key', async () => {
    const { key, id } = await create({ name: 'website' });
    await client.delete(`${KEYS}/${id}`).expect(200);
    expect(JSON.stringify(await application().dump())).not.toContain(key);
    const entries = (await application().audited()).filter(({ record, record_id }) => record === 'key' && record_id === id);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'revoke']);
    expect(entries.map(({ key_id }) => key_id)).toEqual([maker, maker]);
  });
});

test.each(['revoked', 'disabled with its account'])(
  'a key that was just %s creates and revokes no keys, although it is still cached',
  async (how) => {
    stopClock(); // so that it stays in the cache
    await client.get(`${KEYS}/current`).expect(200);
    if (how === 'revoked') await application().app.get(ApiKeysService).revoke(maker);
    else await application().app.get(AccountsService).setEnabled(account.id, false);
    await client.get(`${KEYS}/current`).expect(200);
    expectErrors(await client.post(KEYS, { name: 'survivor' }), { code: 'unauthenticated', source: 'header.Authorization' });
    expectErrors(await client.delete(`${KEYS}/${account.keyId}`), { code: 'unauthenticated', source: 'header.Authorization' });
    const rows = (await application().rows('api_keys')).filter(({ account_id }) => account_id === account.id);
    expect(rows.map(({ name, revoked_datetime }) => [name, revoked_datetime !== null])).toEqual([
      ['test', false],
      ['maker', how === 'revoked'],
    ]);
  },
);

describe('a rejected POST /api/keys', () => {
  test.each([
    ['a scope that the creating key lacks', { name: 'x', scopes: 'domains:write' }],
    ['several scopes, one of which the creating key lacks', { name: 'x', scopes: 'domains:read,messages:read' }],
  ])('%s is a 403', async (_, form) => {
    const lacking = form.scopes.split(',').at(-1);
    const detail = `The API key needs the scope ${lacking}.`;
    expectErrors(await client.post(KEYS, form), { code: 'insufficient_scope', source: 'header.Authorization', detail });
  });

  test('keys:write and unknown scopes are invalid', async () => {
    const detail = `scopes must be of these, with commas between: ${application()
      .scopes.filter((one) => one !== 'keys:write')
      .join(',')}.`;
    for (const scopes of ['keys:write', 'domains:read,keys:write', 'cats:read'])
      expectErrors(await client.post(KEYS, { name: 'x', scopes }), ofForm(detail));
  });

  test.each([
    [{}, [{ code: 'missing_parameter', source: 'form.name' }]],
    [{ name: 'x', scopes: 'all' }, [{ code: 'invalid_parameter', source: 'form.scopes' }]],
    [{ name: 'x', expires: '0d' }, [{ code: 'invalid_parameter', source: 'form.expires' }]],
    [{ name: 'x', expires: '36501d' }, [{ code: 'invalid_parameter', source: 'form.expires' }]],
    [{ name: 'x', account: 'other' }, [{ code: 'unknown_parameter', source: 'form.account' }]],
  ] as const)('the form %j is invalid', async (form, errors) => {
    expectErrors(await client.post(KEYS, form), ...errors);
  });

  test('an Idempotency-Key is rejected, since the response is not stored', async () => {
    const response = await client.post(KEYS, { name: 'x' }).set('Idempotency-Key', 'once');
    expectErrors(response, { code: 'invalid_parameter', source: 'header.Idempotency-Key' });
  });

  test('a key with keys:write alone has no scope to grant', async () => {
    const { client: poor } = await application().createKey(account.id, { scopes: ['keys:write'] });
    expectErrors(await poor.post(KEYS, { name: 'x' }), ofForm("This key has no scope but keys:write, which it can't give."));
  });
});

test('a key with all scopes may neither manage keys nor read their events', async () => {
  for (const response of [
    await account.client.get(KEYS),
    await account.client.post(KEYS, { name: 'x' }),
    await account.client.delete(`${KEYS}/1`),
  ])
    expectErrors(response, { code: 'insufficient_scope', source: 'header.Authorization' });
  expectErrors(await account.client.get('/api/events?types=key.*'), { code: 'insufficient_scope', source: 'header.Authorization' });
  await create({ name: 'x' });
  expect((await account.client.get('/api/events').expect(200)).body).toMatchObject({ data: [] });
});

test('a key of another account is a 404', async () => {
  const { id } = await application().createAccount();
  const { keyId, client: other } = await application().createKey(id);
  expectErrors(await client.delete(`${KEYS}/${keyId}`), { code: 'not_found', detail: 'There is no key with this id.' });
  await other.get(DOMAINS).expect(200);
});

test('key events contain the key’s name and, unless it was revoked, the current key', async () => {
  const [kept, gone] = [await create({ name: 'kept' }), await create({ name: 'gone' })];
  await client.delete(`${KEYS}/${gone.id}`).expect(200);
  const { body } = await client.get('/api/events?types=key.*&include=record').expect(200);
  const events = (body as { data: { type: string; record: { id: number }; data: object; current: KeyBody | null }[] }).data;
  expect(events.filter(({ record }) => record.id >= kept.id).map(({ type, data, current }) => [type, data, current?.name])).toEqual([
    ['key.created', { name: 'kept' }, 'kept'],
    ['key.created', { name: 'gone' }, undefined],
    ['key.revoked', { name: 'gone' }, undefined],
  ]);
});

describe('GET /api/keys/current', () => {
  test('returns any key itself, with the name of its account', async () => {
    const { client: poor, keyId } = await application().createKey(account.id, { name: 'poor', scopes: ['scheduling:read'] });
    const { body } = await poor.get(`${KEYS}/current`).expect(200);
    expect(body).toMatchObject({ data: { id: keyId, name: 'poor', scopes: ['scheduling:read'], expires: null } });
    expect((body as { data: { account: string } }).data.account).toBe(await accountName());
    expect((await account.client.get(`${KEYS}/current/`).expect(200)).body).toMatchObject({ data: { scopes: ['*'] } });
    expectErrors(await application().client().get(`${KEYS}/current`), { code: 'unauthenticated', source: 'header.Authorization' });
  });

  async function accountName(): Promise<string> {
    const [{ name }] = (await application().rows('accounts')).filter(({ id }) => id === account.id) as { name: string }[];
    return name;
  }
});
