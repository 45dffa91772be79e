/** @mysql whole */
import { PUBLIC_URL, type TestAccount, useApplication, withApplication } from '../../../support/http/application';
import { expectErrors } from '../../../support/http/errors';
import { DOMAINS, HANDLERS, HANDLERS_READ, newHost, NOTIFICATIONS } from '../../../support/areas/records';
import { SCHEDULING } from '../../../support/areas/scheduling-interface';

const { application, database } = useApplication();
let account: TestAccount;
let ids: number[];

beforeAll(async () => {
  account = await application().createAccount();
  ids = [];
  for (let count = 0; count < 26; count++) ids.push(await account.client.create(DOMAINS, { host: newHost() }));
});

interface Envelope {
  data: { id: number }[];
  meta: object;
  links: { first: string; last: string; next: string | null; prev: string | null; self: string };
}

async function list(query: string, path = DOMAINS): Promise<Envelope> {
  const response = await account.client.get(`${path}${query}`);
  expect([query, response.status]).toEqual([query, 200]);
  return response.body as Envelope;
}

const at = (page: number | string, path = DOMAINS, size = '') => `${PUBLIC_URL}${path}?&page=${page}${size}`;

test('GET without parameters returns page 1, with 25 records by ascending id', async () => {
  const response = await account.client.get(`${DOMAINS}/`).expect(200);
  const { data, ...rest } = response.body as Envelope;
  expect(data.map(({ id }) => id)).toEqual(ids.slice(0, 25));
  expect(JSON.stringify(rest)).toBe(
    `{"meta":{"page":1,"results_per_page":25,"total":26,"total_pages":2},` +
      `"links":{"first":"${at(1)}","last":"${at(2)}","next":"${at(2)}","prev":null,"self":"${at(1)}"}}`,
  );
  expect(Object.keys(response.body as Envelope)).toEqual(['data', 'meta', 'links']);
});

test('the last page has no next link', async () => {
  const { data, meta, links } = await list('?page=2');
  expect(data.map(({ id }) => id)).toEqual(ids.slice(25));
  expect(meta).toEqual({ page: 2, results_per_page: 25, total: 26, total_pages: 2 });
  expect(links).toEqual({ first: at(1), last: at(2), next: null, prev: at(1), self: at(2) });
});

test('a page past the end is empty and links to the last page as prev', async () => {
  for (const page of [3, 4, 1000]) {
    const { data, meta, links } = await list(`?page=${page}`);
    expect(data).toEqual([]);
    expect(meta).toEqual({ page, results_per_page: 25, total: 26, total_pages: 2 });
    expect(links).toEqual({ first: at(1), last: at(2), next: null, prev: at(2), self: at(page) });
  }
});

test('results_per_page stays in every link, even with its default', async () => {
  const size = '&results_per_page=10';
  const { data, meta, links } = await list('?results_per_page=10&page=2');
  expect(data.map(({ id }) => id)).toEqual(ids.slice(10, 20));
  expect(meta).toEqual({ page: 2, results_per_page: 10, total: 26, total_pages: 3 });
  const link = (page: number) => at(page, DOMAINS, size);
  expect(links).toEqual({ first: link(1), last: link(3), next: link(3), prev: link(1), self: link(2) });
  expect((await list('?results_per_page=25')).links.next).toBe(at(2, DOMAINS, '&results_per_page=25'));
});

test('following links.next reads every record once', async () => {
  const seen: number[] = [];
  for (let next: string | null = at(1, DOMAINS, '&results_per_page=10'); next;) {
    const page: Envelope = await list(next.slice(`${PUBLIC_URL}${DOMAINS}`.length));
    seen.push(...page.data.map(({ id }) => id));
    next = page.links.next;
  }
  expect(seen).toEqual(ids);
});

test.each([10, 25, 50, 100, 250, 500, 1000])('results_per_page=%d is accepted', async (size) => {
  const { data, meta } = await list(`?results_per_page=${size}`);
  expect(data).toHaveLength(Math.min(size, 26));
  expect(meta).toEqual({ page: 1, results_per_page: size, total: 26, total_pages: Math.ceil(26 / size) });
});

test('an empty list has no pages and links to page 1 only', async () => {
  const { client } = await application().createAccount();
  for (const [path, linked] of [
    [DOMAINS, DOMAINS],
    [HANDLERS_READ, HANDLERS_READ],
    [HANDLERS, HANDLERS_READ],
    [NOTIFICATIONS, NOTIFICATIONS],
  ]) {
    const link = at(1, linked);
    const first = await client.get(`${path}/`).expect(200);
    expect(first.text).toBe(
      `{"data":[],"meta":{"page":1,"results_per_page":25,"total":0,"total_pages":0},` +
        `"links":{"first":"${link}","last":"${link}","next":null,"prev":null,"self":"${link}"}}`,
    );
    const past = await client.get(`${path}?page=3`).expect(200);
    expect((past.body as Envelope).links).toEqual({ first: link, last: link, next: null, prev: link, self: at(3, linked) });
  }
});

test('links of notification handlers use the singular path', async () => {
  for (let count = 0; count < 11; count++) await account.client.create(HANDLERS, { name: `Desk ${count}`, type: 'email' });
  for (const path of [HANDLERS, HANDLERS_READ, `${HANDLERS}/`]) {
    const { data, links } = await list('?results_per_page=10', path);
    expect(data).toHaveLength(10);
    expect(links.next).toBe(at(2, HANDLERS_READ, '&results_per_page=10'));
  }
});

test.each(['2147483648', '9007199254740993', '9'.repeat(20), '9'.repeat(400)])(
  'page=%s is past the end and is shown as at most Number.MAX_SAFE_INTEGER',
  async (given) => {
    const response = await account.client.get(`${DOMAINS}/?page=00${given}&sort=desc`).expect(200);
    const page = Math.min(Number(given), Number.MAX_SAFE_INTEGER);
    const [first, last, self] = [1, 2, page].map((each) => at(each, DOMAINS, '&sort=desc'));
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.text).toBe(
      `{"data":[],"meta":{"page":${page},"results_per_page":25,"total":26,"total_pages":2},` +
        `"links":{"first":"${first}","last":"${last}","next":null,"prev":"${last}","self":"${self}"}}`,
    );
  },
);

const NOT_PAGES = ['', '0', '00', '-1', '+1', '1.0', '1e3', 'x', '0x1', '%201', '1%20', '1,2', '%D9%A1', 'NaN', 'Infinity', 'true', '%00'];
const NOT_SIZES = ['', '0', '1', '9', '20', '24', '26', '1001', '-10', '+10', '10.0', '010', '1e1', '%2010', '10%20', 'all', '10,25'];
const LISTS = [`${DOMAINS}/?`, `${HANDLERS_READ}/?`, `${NOTIFICATIONS}/?`, `${SCHEDULING}?api=servicos&`];

test.each(LISTS)('GET %s rejects every other page and page size', async (path) => {
  for (const value of NOT_PAGES) {
    const response = await account.client.get(`${path}page=${value}`);
    expect([value, response.status]).toEqual([value, 400]);
    expectErrors(response, { code: 'invalid_parameter', source: 'query.page' });
  }
  for (const value of NOT_SIZES) {
    const response = await account.client.get(`${path}results_per_page=${value}`);
    expect([value, response.status]).toEqual([value, 400]);
    expectErrors(response, {
      code: 'invalid_parameter',
      source: 'query.results_per_page',
      detail: 'results_per_page must be one of 10, 25, 50, 100, 250, 500, 1000.',
    });
  }
});

test('a repeated parameter is rejected, even with the same value', async () => {
  expectErrors(await account.client.get(`${DOMAINS}?page=1&page=1`), { code: 'invalid_parameter', source: 'query.page' });
  expectErrors(await account.client.get(`${DOMAINS}?results_per_page=10&page=1&results_per_page=25`), {
    code: 'invalid_parameter',
    source: 'query.results_per_page',
  });
});

const INHERITED = [...Object.getOwnPropertyNames(Object.prototype), 'prototype'].map((name) => `${name}=1`);

test.each(['Page=1', 'per_page=10', 'page[]=1', 'page[a]=1', 'page[prototype]=1', 'order=asc', '=1', '%ff=1', ...INHERITED])(
  'the unknown parameter %s is rejected',
  async (parameter) => {
    const response = await account.client.get(`${DOMAINS}?${parameter}`);
    expect(response.status).toBe(400);
    expect(readCodes(response.text)).toEqual(['unknown_parameter']);
  },
);

test('GET of a single record takes no parameters', async () => {
  for (const name of ['page', 'prototype', '__proto__', 'toString']) {
    const response = await account.client.get(`${DOMAINS}/${ids[0]}?${name}=1`);
    expectErrors(response, { code: 'unknown_parameter', source: `query.${name}` });
  }
});

function readCodes(text: string): string[] {
  return (JSON.parse(text) as { errors: { code: string }[] }).errors.map(({ code }) => code);
}

test('links keep the path of PUBLIC_URL', async () => {
  await withApplication({ ...database().env, PUBLIC_URL: 'https://example.com/desk/' }, async (other) => {
    const { body } = (await other.client(account.key).get(DOMAINS).expect(200)) as { body: Envelope };
    expect(body.links.first).toBe(`https://example.com/desk${DOMAINS}?&page=1`);
    const created = await other.client(account.key).post(DOMAINS, { host: newHost() }).expect(201);
    expect(created.headers.location).toMatch(/^https:\/\/example\.com\/desk\/api\/domains\/\d+$/);
  });
});
