import type { TestAccount } from './support/application';
import { useApplication } from './support/application';
import { expectErrors, withoutRequestId } from './support/errors';
import { DOMAINS, HANDLERS, HANDLERS_READ, insertNotification, newHost, NOTIFICATIONS } from './support/records';
import { COLLECTIONS, SCHEDULING } from './support/scheduling-interface';
import { insertScheduling } from './support/scheduling-records';
import { schedulingSeed } from './support/scheduling-seed';
import { closedRoutesOf, hasId, type Route, withId } from './support/routes';

const { application } = useApplication();
const CANARY = 'canary-of-the-owner';
const NO_RECORD = 999_999;

let owner: TestAccount;
let stranger: TestAccount;
/** The owner's record at each resource path. */
let records: Record<string, number>;
/** A valid change of a record, and what would create one like it. */
const FORMS: Record<string, Record<string, string>> = {
  [DOMAINS]: { custom_index_url: 'https://stranger.example.com/' },
  [HANDLERS]: { name: 'Changed by a stranger' },
  [HANDLERS_READ]: { name: 'Changed by a stranger' },
};

beforeAll(async () => {
  owner = await application().createAccount();
  stranger = await application().createAccount();
  const handler = await owner.client.create(HANDLERS, { name: CANARY, type: 'email' });
  records = {
    [DOMAINS]: await owner.client.create(DOMAINS, { host: `${CANARY}.example.com` }),
    [HANDLERS]: handler,
    [HANDLERS_READ]: handler,
    [NOTIFICATIONS]: (await insertNotification(application(), owner.id, { name: CANARY })).id,
  };
});

const resourceOf = ({ path }: Route) => path.replace(/\/:\w+$/, '');

test('another account’s record answers exactly like an unknown id, on every route', async () => {
  const before = await application().dump();
  const routes = closedRoutesOf(application()).filter(hasId);
  expect(routes).toHaveLength(10);
  for (const route of routes) {
    const form = route.method === 'POST' ? FORMS[resourceOf(route)] : {};
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

test('an update without a field of another account’s record is a 404, too', async () => {
  for (const path of [DOMAINS, HANDLERS]) expectErrors(await stranger.client.post(`${path}/${records[path]}`), { code: 'not_found' });
});

test('a field of another type doesn’t tell that another account has the handler', async () => {
  expectErrors(await stranger.client.post(`${HANDLERS}/${records[HANDLERS]}`, { slack: 'https://example.com/' }), { code: 'not_found' });
});

test('no list shows or counts another account’s records', async () => {
  for (const route of closedRoutesOf(application()).filter((one) => one.method === 'GET' && !hasId(one) && one.path !== SCHEDULING)) {
    const seen = await owner.client.get(route.path).expect(200);
    expect(seen.text).toContain(CANARY);
    const hidden = await stranger.client.get(route.path).expect(200);
    expect(hidden.text).not.toContain(CANARY);
    expect(hidden.body).toMatchObject({ data: [], meta: { total: 0 } });
  }
});

test('no list of scheduling records shows or counts another account’s', async () => {
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

test('what an account creates is its own', async () => {
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

test('no form field names another account', async () => {
  const response = await stranger.client.post(DOMAINS, { host: newHost(), account_id: String(owner.id) });
  expectErrors(response, { code: 'unknown_parameter', source: 'form.account_id' });
});
