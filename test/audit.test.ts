import { ApiKeysService } from '../src/auth/api-keys.service';
import { DomainsService } from '../src/domains/domains.service';
import { type TestAccount, useApplication } from './support/application';
import { DOMAINS, HANDLERS, newHost } from './support/records';

const { application } = useApplication();
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
});

interface Entry {
  id: number;
  datetime: string;
  account_id: number;
}

/** What the work leaves behind in the audit. */
async function traceOf(work: () => Promise<unknown>): Promise<object[]> {
  const before = (await application().rows('audit')).length;
  await work();
  const rows = (await application().rows('audit')) as unknown as Entry[];
  return rows.slice(before).map(({ id: _id, datetime, ...rest }) => {
    expect(datetime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    return rest;
  });
}

test.each([
  ['domain', DOMAINS, () => ({ host: newHost() }), () => ({ host: newHost() })],
  ['notification handler', HANDLERS, () => ({ name: 'Alarm', type: 'email' }), () => ({ name: 'Other' })],
])('every write of a %s leaves one row', async (record, path, create, update) => {
  let id = 0;
  const by = { account_id: account.id, key_id: account.keyId, record };
  const post = (to: string, fields: Record<string, string>) => account.client.post(to, fields).set('X-Request-Id', 'trace-1');
  const created = await traceOf(async () => {
    const { body } = await post(path, create()).expect(201);
    id = (body as { data: { id: number } }).data.id;
  });
  expect(created).toEqual([{ ...by, action: 'create', record_id: id, request_id: 'trace-1' }]);
  expect(await traceOf(() => post(`${path}/${id}`, update()).expect(200))).toEqual([
    { ...by, action: 'update', record_id: id, request_id: 'trace-1' },
  ]);
  const deleted = await traceOf(() => account.client.delete(`${path}/${id}`).set('X-Request-Id', 'trace-2').expect(200));
  expect(deleted).toEqual([{ ...by, action: 'delete', record_id: id, request_id: 'trace-2' }]);
});

test('what changes nothing leaves none', async () => {
  const host = newHost();
  const id = await account.client.create(DOMAINS, { host });
  const other = await application().createAccount();
  const trace = await traceOf(async () => {
    await account.client.post(`${DOMAINS}/${id}`).expect(200);
    await account.client.post(DOMAINS, { host }).expect(409);
    await account.client.post(DOMAINS, {}).expect(400);
    await other.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(404);
    await other.client.delete(`${DOMAINS}/${id}`).expect(404);
    await account.client.delete(`${DOMAINS}/${id}`).set('If-Match', '"x"').expect(412);
    await account.client.get(DOMAINS).expect(200);
  });
  expect(trace).toEqual([]);
});

test('a request that is sent again leaves no second one', async () => {
  const send = () => account.client.post(HANDLERS, { name: 'Once', type: 'email' }).set('Idempotency-Key', 'audit-1').expect(201);
  expect(await traceOf(async () => [await send(), await send()])).toHaveLength(1);
});

test('what an operator does leaves a row without a key', async () => {
  const id = await account.client.create(DOMAINS, { host: newHost() });
  const by = { account_id: account.id, key_id: null, request_id: null };
  const keys = application().app.get(ApiKeysService);
  let keyId = 0;
  const trace = await traceOf(async () => {
    await application().app.get(DomainsService).setEnabled(id, false);
    keyId = (await keys.create({ accountId: account.id, name: 'new' })).id;
    await keys.revoke(keyId);
    await keys.revoke(keyId);
  });
  expect(trace).toEqual([
    { ...by, action: 'update', record: 'domain', record_id: id },
    { ...by, action: 'create', record: 'key', record_id: keyId },
    { ...by, action: 'revoke', record: 'key', record_id: keyId },
  ]);
});
