/** @mysql whole */
import type { TestAccount } from '../../support/http/application';
import { PUBLIC_URL, useApplication } from '../../support/http/application';
import { expectErrors, withoutRequestId } from '../../support/http/errors';
import { DELIVERIES, DOMAINS, HANDLERS, HANDLERS_READ, MESSAGES, newHost, NOTIFICATIONS } from '../../support/areas/records';
import { resourceOf, RouteTable } from '../../support/http/route-table';
import { hasId, withId } from '../../support/http/routes';
import { SCHEDULING } from '../../support/areas/scheduling-interface';
import { inTurn } from '../../support/jest/size';

const { application } = useApplication();
let account: TestAccount;
let table: RouteTable;
/** Every readable path, with the id of a record. */
let readPaths: string[];

beforeAll(async () => {
  account = await application().createAccount();
  table = await RouteTable.of(application());
  readPaths = ['/health/live', '/health/ready'];
  for (const route of table.covered.filter(({ method, path }) => method === 'GET' && path !== SCHEDULING)) {
    readPaths.push(hasId(route) ? withId(route, await table.newRecord(account, route)) : route.path);
  }
});

test('every GET path ignores a trailing slash', async () => {
  for (const path of readPaths) {
    const bare = await account.client.get(path);
    const slashed = await account.client.get(`${path}/`);
    expect([path, bare.status]).toEqual([path, 200]);
    expect([path, slashed.status, slashed.text]).toEqual([path, 200, bare.text]);
  }
});

test.each(['', '/'])('records can be written at paths with %j at the end', async (slash) => {
  for (const path of [DOMAINS, HANDLERS, HANDLERS_READ]) {
    const created = await account.client.post(path + slash, { name: 'Desk', type: 'email' }).expect(path === DOMAINS ? 400 : 201);
    const id = path === DOMAINS ? await account.client.create(path + slash, { host: newHost() }) : JSON.parse(created.text).data.id;
    await account.client.post(`${path}/${id}${slash}`).expect(200, `{"data":{"id":${id}}}`);
    await account.client.delete(`${path}/${id}${slash}`).expect(200, `{"data":{"id":${id}}}`);
  }
});

test('the singular and the plural path of handlers are equivalent', async () => {
  const paths = (name: string) =>
    table.closed.filter((route) => resourceOf(route) === name).map(({ method, path }) => `${method} ${path.slice(name.length)}`);
  expect(paths(HANDLERS_READ)).toEqual(paths(HANDLERS));
  expect(paths(HANDLERS)).toHaveLength(13);

  const singular = await account.client.create(HANDLERS_READ, { name: 'One', type: 'email' });
  await account.client.post(`${HANDLERS}/${singular}`, { name: 'Two' }).expect(200);
  expect((await account.client.get(`${HANDLERS}/${singular}`)).text).toBe((await account.client.get(`${HANDLERS_READ}/${singular}`)).text);
  expect((await account.client.get(HANDLERS)).text).toBe((await account.client.get(HANDLERS_READ)).text);
  await account.client.delete(`${HANDLERS_READ}/${singular}`).expect(200);
  await account.client.delete(`${HANDLERS}/${singular}`).expect(404);
});

test.each([
  '/',
  '/api',
  '/API/domains',
  '/api/Domains',
  '/Health/live',
  '//',
  '//api/domains',
  '/api//domains',
  '/api/domains//',
  '/api/domains/1/2',
  '/api/campaigns',
  '/favicon.ico',
  '/robots.txt',
  '/api/domains.json',
])('%s returns 404, with or without a key', async (path) => {
  const closed = await application().client().get(path);
  expectErrors(closed, { code: 'not_found' });
  const open = await account.client.get(path);
  expect(withoutRequestId(open)).toBe(withoutRequestId(closed));
});

test('HEAD returns the headers of GET without a body', async () => {
  for (const path of [...readPaths, '/api/domains/999999', '/api/domains/x', '/nowhere']) {
    const get = await account.client.get(path).set('X-Request-Id', 'same');
    const head = await account.client.send('HEAD', path).set('X-Request-Id', 'same');
    const headers = [get, head].map((response) => ({ ...(response.headers as object), date: null }));
    expect([path, head.status, head.text ?? '', headers[1]]).toEqual([path, get.status, '', headers[0]]);
  }
});

test('HEAD requires a key', async () => {
  await application().client().send('HEAD', DOMAINS).expect(401);
});

const COLLECTION = 'GET, HEAD, POST';
const RECORD = 'DELETE, GET, HEAD, POST';
const READ_ONLY = 'GET, HEAD';

test.each([
  [DOMAINS, COLLECTION],
  [`${DOMAINS}/`, COLLECTION],
  [`${DOMAINS}/7`, RECORD],
  [HANDLERS, COLLECTION],
  [`${HANDLERS}/7`, RECORD],
  [HANDLERS_READ, COLLECTION],
  [`${HANDLERS_READ}/7/`, RECORD],
  [NOTIFICATIONS, READ_ONLY],
  [`${NOTIFICATIONS}/7`, READ_ONLY],
  [`${HANDLERS}/7/test`, 'POST'],
  [`${HANDLERS_READ}/7/signing-secret`, COLLECTION],
  [MESSAGES, COLLECTION],
  [`${MESSAGES}/7`, READ_ONLY],
  [DELIVERIES, READ_ONLY],
  [`${DELIVERIES}/7/`, READ_ONLY],
  [`${DELIVERIES}/7/retry`, 'POST'],
  ['/health/live', READ_ONLY],
  ['/health/ready', READ_ONLY],
  ['/docs', READ_ONLY],
  ['/openapi.json', READ_ONLY],
])('%s returns 405 for every method but %s, with or without a key', async (path, allowed) => {
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    if (allowed.split(', ').includes(method)) continue;
    for (const client of [account.client, application().client()]) {
      const response = await client.send(method, path);
      if (method === 'HEAD') expect(response.status).toBe(405);
      else expectErrors(response, { code: 'method_not_allowed' });
      expect(response.headers.allow).toBe(allowed);
    }
  }
});

const NOT_DIGITS = ['abc', '-1', '+1', '1e3', '1.0', '0x1', '%20', '1%20', '%201', '%D9%A1', '1;2', 'null', 'NaN'];

test.each(NOT_DIGITS)('the malformed id %s returns 400 with a key and 401 without', async (id) => {
  for (const route of table.covered.filter(hasId)) {
    const name = /:(\w+)/.exec(route.path)![1];
    const path = withId(route, id);
    expectErrors(await account.client.send(route.method, path), { code: 'invalid_parameter', source: `path.${name}` });
    expectErrors(await application().client().send(route.method, path), { code: 'unauthenticated', source: 'header.Authorization' });
  }
});

const LARGE = ['999999999', '2147483648', '4294967296', '9007199254740993', '18446744073709551616', '9'.repeat(20), '1'.repeat(400)];

test('an unknown id of any length returns 404 with a key and 401 without', async () => {
  for (const [index, route] of table.covered.filter(hasId).entries()) {
    for (const id of inTurn(['0', '000', ...LARGE], index)) {
      const path = withId(route, id);
      expectErrors(await account.client.send(route.method, path).send(table.formOf(route)), { code: 'not_found' });
      expectErrors(await application().client().send(route.method, path), { code: 'unauthenticated', source: 'header.Authorization' });
    }
  }
});

test.each(['%', '%ff', '%c3%28', '%E0%A4%A'])('a path that contains the invalid encoding %s returns 400', async (bytes) => {
  expectErrors(await account.client.get(`${DOMAINS}/${bytes}`), { code: 'invalid_parameter' });
});

test('no response repeats a forged host', async () => {
  const forged = {
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'gopher',
    Forwarded: 'host=evil.example',
  };
  const answers = [];
  for (const path of [...readPaths, '/nowhere', '/openapi.json', '/docs', '/docs/', '/docs/swagger-ui-init.js']) {
    answers.push(await account.client.get(path).set(forged));
  }
  const created = await account.client.post(DOMAINS, { host: newHost() }).set(forged).expect(201);
  expect(created.headers.location).toMatch(new RegExp(`^${PUBLIC_URL}/api/domains/\\d+$`));
  for (const { headers, text } of [...answers, created]) {
    expect(JSON.stringify(headers) + text).not.toMatch(/evil\.example|gopher/);
  }
});
