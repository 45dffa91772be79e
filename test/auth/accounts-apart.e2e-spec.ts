/** @mysql whole */
import type { TestAccount } from '../support/http/application';
import { useApplication } from '../support/http/application';
import { expectErrors, withoutRequestId } from '../support/http/errors';
import { DOMAINS, HANDLERS, HANDLERS_READ, newHost } from '../support/areas/records';
import { resourceOf, RouteTable } from '../support/http/route-table';
import { COLLECTIONS, SCHEDULING } from '../support/areas/scheduling-interface';
import { insertScheduling } from '../support/areas/scheduling-records';
import { schedulingSeed } from '../support/areas/scheduling-seed';
import { hasId, withId } from '../support/http/routes';

const { application } = useApplication();
const NO_RECORD = 999_999;

let owner: TestAccount;
let stranger: TestAccount;
let table: RouteTable;
/** The owner's record at each resource path. */
const records: Record<string, number> = {};

beforeAll(async () => {
  owner = await application().createAccount();
  stranger = await application().createAccount();
  table = await RouteTable.of(application());
  for (const route of table.covered.filter(hasId)) records[resourceOf(route)] ??= await table.newRecord(owner, route);
});

test('another account’s record gets the same response as an unknown id, on every route', async () => {
  const before = await application().dump();
  for (const route of table.covered.filter(hasId)) {
    const form = table.formOf(route);
    const send = (id: number) => {
      const path = withId(route, id);
      return route.method === 'POST' ? stranger.client.post(path, form) : stranger.client.send(route.method, path);
    };
    const foreign = await send(records[resourceOf(route)]);
    const unknown = await send(NO_RECORD);
    expectErrors(foreign, { code: 'not_found' });
    expect(withoutRequestId(foreign)).toBe(withoutRequestId(unknown));
    expect(Object.keys(foreign.headers as object)).toEqual(Object.keys(unknown.headers as object));
  }
  expect(await application().dump()).toEqual(before);
});

test('an empty update of another account’s record is a 404', async () => {
  for (const path of [DOMAINS, HANDLERS]) expectErrors(await stranger.client.post(`${path}/${records[path]}`), { code: 'not_found' });
});

test('an update of another account’s handler with a field of another type is a 404', async () => {
  expectErrors(await stranger.client.post(`${HANDLERS}/${records[HANDLERS]}`, { slack: 'https://example.com/' }), { code: 'not_found' });
});

test('no list shows or counts another account’s records', async () => {
  const lists = table.covered.filter((route) => route.method === 'GET' && records[route.path]);
  expect(lists.map(({ path }) => path)).toEqual(expect.arrayContaining([DOMAINS, HANDLERS]));
  for (const { path } of lists) {
    const seen = await owner.client.get(path).expect(200);
    expect((seen.body as { data: object[] }).data).toContainEqual(expect.objectContaining({ id: records[path] }));
    const hidden = await stranger.client.get(path).expect(200);
    expect(hidden.body).toMatchObject({ data: [], meta: { total: 0 } });
  }
});

test('no scheduling list shows or counts another account’s records', async () => {
  const all = { 'atendente-diponivel': '', 'horario-disponivel': '' };
  await insertScheduling(application(), owner.id, schedulingSeed({ agendamentos: 3, others: 3 }, 1));
  for (const { api, flags } of COLLECTIONS) {
    const query = new URLSearchParams({ api, ...Object.fromEntries(Object.entries(all).filter(([name]) => flags.includes(name))) });
    const seen = await owner.client.get(`${SCHEDULING}?${query.toString()}`).expect(200);
    expect((seen.body as { data: unknown[] }).data).toHaveLength(3);
    await stranger.client.get(`${SCHEDULING}?${query.toString()}`).expect(200, '{"data":[]}');
    const page = await stranger.client.get(`${SCHEDULING}?${query.toString()}&page=1`).expect(200);
    expect(page.body).toMatchObject({ data: [], meta: { total: 0 } });
  }
});

test('records belong to the account that creates them', async () => {
  const domain = await stranger.client.create(DOMAINS, { host: newHost() });
  const handler = await stranger.client.create(HANDLERS, { name: 'Desk', type: 'email' });
  await stranger.client.get(`${DOMAINS}/${domain}`).expect(200);
  await owner.client.get(`${DOMAINS}/${domain}`).expect(404);
  await owner.client.get(`${HANDLERS_READ}/${handler}`).expect(404);
});

test('all keys of an account see its records', async () => {
  const { client } = await application().createKey(owner.id);
  await client.get(`${DOMAINS}/${records[DOMAINS]}`).expect(200);
});

test('no form field can select another account', async () => {
  const response = await stranger.client.post(DOMAINS, { host: newHost(), account_id: String(owner.id) });
  expectErrors(response, { code: 'unknown_parameter', source: 'form.account_id' });
});

test('concurrent first requests of several accounts are not mixed up', async () => {
  const accounts = await Promise.all(Array.from({ length: 20 }, () => application().createAccount()));
  const hosts = accounts.map(() => newHost());
  const ids = await Promise.all(accounts.map(({ client }, index) => client.create(DOMAINS, { host: hosts[index] })));
  const rows = await application().rows('domains');
  const ownerOf = (id: number) => rows.find((row) => row.id === id)?.account_id;
  expect(ids.map(ownerOf)).toEqual(accounts.map(({ id }) => id));
});
