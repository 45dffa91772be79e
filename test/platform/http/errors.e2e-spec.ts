/** @mysql whole */
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import fc from 'fast-check';
import { DomainsService } from '../../../src/domains/domains.service';
import type { TestAccount } from '../../support/http/application';
import { useApplication } from '../../support/http/application';
import { onMysql } from '../../support/servers/database';
import { expectErrors, readErrors } from '../../support/http/errors';
import { anyText, type Draft, faultsOf, oddities, toRequest, type WriteRoute } from '../../support/http/hostile-requests';
import { sendRaw } from '../../support/http/raw-request';
import { DOMAINS, HANDLERS, newHost } from '../../support/areas/records';
import { sized } from '../../support/jest/size';

const { application } = useApplication();
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
});

test('an error has exactly the documented body', async () => {
  const response = await account.client.get(`${DOMAINS}?results_per_page=20`).set('X-Request-Id', 'my.request_1-A');
  expect(response.status).toBe(400);
  expect(response.text).toBe(
    '{"errors":[{"id":"my.request_1-A","status":400,"code":"invalid_parameter","title":"Invalid parameter",' +
      '"detail":"results_per_page must be one of 10, 25, 50, 100, 250, 500, 1000.",' +
      '"source":{"in":"query","name":"results_per_page"}}]}',
  );
});

describe('validation', () => {
  test('reports every violation of a query', async () => {
    expectErrors(
      await account.client.get(`${DOMAINS}?page=0&results_per_page=7&colour=red&size=1`),
      { code: 'unknown_parameter', source: 'query.colour' },
      { code: 'unknown_parameter', source: 'query.size' },
      { code: 'invalid_parameter', source: 'query.page' },
      { code: 'invalid_parameter', source: 'query.results_per_page' },
    );
  });

  test('reports every violation of a form, unless the query has any', async () => {
    const form = { scheme: 'ftp://', custom_index_url: 'x', colour: 'red' };
    expectErrors(await account.client.post(`${DOMAINS}?page=1`, form), { code: 'unknown_parameter', source: 'query.page' });
    expectErrors(
      await account.client.post(DOMAINS, form),
      { code: 'unknown_parameter', source: 'form.colour' },
      { code: 'missing_parameter', source: 'form.host' },
      { code: 'invalid_parameter', source: 'form.scheme' },
      { code: 'invalid_parameter', source: 'form.custom_index_url' },
    );
  });

  test('reports the fields that belong to another handler type, on create and update', async () => {
    const fields = { name: 'x'.repeat(129), type: 'email', email: 'nobody', slack: 'https://a.example' };
    expectErrors(
      await account.client.post(HANDLERS, fields),
      { code: 'invalid_parameter', source: 'form.name' },
      { code: 'invalid_parameter', source: 'form.email' },
      { code: 'invalid_parameter', source: 'form.slack', detail: /slack.*email/ },
    );
    const id = await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
    const ofOthers = { slack: 'https://hooks.example.com/x', discord: 'https://discord.com/api/webhooks/x' };
    expectErrors(
      await account.client.post(`${HANDLERS}/${id}`, ofOthers),
      { code: 'invalid_parameter', source: 'form.slack', detail: 'slack belongs to the type slack; this handler is of type email.' },
      { code: 'invalid_parameter', source: 'form.discord', detail: 'discord belongs to the type discord; this handler is of type email.' },
    );
  });

  test('reports invalid values before fields of another type, and before a missing handler', async () => {
    const form = { is_enabled: '9', slack: 'https://hooks.example.com/x', discord: 'zz', twilio: '' };
    const id = await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
    for (const handler of [id, '999999', '9'.repeat(400)]) {
      expectErrors(
        await account.client.post(`${HANDLERS}/${handler}`, form),
        { code: 'invalid_parameter', source: 'form.is_enabled' },
        { code: 'invalid_parameter', source: 'form.discord' },
      );
    }
  });
});

describe('X-Request-Id', () => {
  test.each(['a', 'A-b_c.9', 'x'.repeat(128)])('echoes the valid id %s', async (id) => {
    const fine = await account.client.get(DOMAINS).set('X-Request-Id', id);
    const wrong = await account.client.get('/nowhere').set('X-Request-Id', id);
    expect([fine.headers['x-request-id'], wrong.headers['x-request-id'], readErrors(wrong)[0].id]).toEqual([id, id, id]);
  });

  test.each(['', 'x'.repeat(129), 'a b', 'a/b', 'é', '<script>', 'a,b'])('replaces the invalid id %j with a random one', async (id) => {
    const ids = new Set<string>();
    for (let round = 0; round < 2; round++) {
      const { headers } = await account.client.get(DOMAINS).set('X-Request-Id', id);
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      ids.add(headers['x-request-id']);
    }
    expect(ids.size).toBe(2);
  });

  test('appears on every response', async () => {
    const answers = [
      await account.client.post(DOMAINS, { host: newHost() }),
      await account.client.send('HEAD', DOMAINS),
      await application().client().get(DOMAINS),
      await application().client().get('/health/live'),
      await application().client().get('/docs'),
    ];
    for (const { headers } of answers) expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('an unexpected error returns 500 without details', async () => {
  jest.spyOn(application().app.get(DomainsService), 'findPage').mockRejectedValue(new Error('SELECT secret FROM vault'));
  const response = await account.client.get(DOMAINS);
  expectErrors(response, { code: 'internal_error' });
  expect(response.text).not.toMatch(/vault|secret|Error:/);
});

test('an unavailable database returns 503 with Retry-After', async () => {
  const refused = onMysql ? { errno: 1040, code: 'ER_CON_COUNT_ERROR' } : { code: 'SQLITE_BUSY' };
  jest.spyOn(application().app.get(DomainsService), 'findPage').mockRejectedValue(Object.assign(new Error('database is locked'), refused));
  const response = await account.client.get(DOMAINS);
  expectErrors(response, { code: 'unavailable' });
  expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect(response.text).not.toContain('locked');
});

const anyOf = (...texts: string[]) => fc.constantFrom(...texts);
const marked = (before: string, after = '') => fc.string().map((text) => `${before}${text}${after}`);

const wrongUrl = fc.oneof(
  anyOf('example.com', '//x', 'ftp://x.example', 'https://u:p@x.example', 'javascript:alert(1)', 'https://'),
  anyOf(`https://x.example/${'a'.repeat(2048)}`),
  marked('x', 'x'),
);
const wrongHost = anyOf('a', 'https://a.example', 'a.example:1', '127.0.0.1', 'a_b.example', '::1', `${'a'.repeat(64)}.example`);
const domain = {
  host: fc.integer({ min: 0, max: 2 ** 47 }).map((number) => `h${number.toString(36)}.example.com`),
  scheme: anyOf('http://', 'https://'),
  custom_index_url: anyOf('http://a.example', 'https://例え.example/?ü=%20#x'),
  custom_not_found_url: anyOf('', 'https://example.com/lost'),
};
const wrongDomain = {
  host: fc.oneof(
    wrongHost,
    anyText().map((text) => `/${text}/`),
  ),
  scheme: marked('x'),
  custom_index_url: wrongUrl,
  custom_not_found_url: wrongUrl,
};
const handler = { name: anyOf('Desk', 'Señal', '💈'), email: anyOf('', 'a@example.com') };
const wrongHandler = {
  name: fc.oneof(anyOf('x'.repeat(129), 'a\u0000b', '💈'.repeat(129)), marked('x'.repeat(129), 'x')),
  type: marked('x'),
  email: marked('', '@'),
  slack: wrongUrl,
  telegram: marked('x'),
  twilio: marked('x'),
};

type Form = Record<string, fc.Arbitrary<string>>;

/** The routes that create, update and delete; `required` and `optional` are valid values of the fields. */
function routesOf(path: string, required: Form, optional: Form, update: Form, wrong: Form, wrongUpdate = wrong): WriteRoute[] {
  const form = (fields: Form, requiredKeys: string[]) => fc.record(fields, { requiredKeys }).map((values) => Object.entries(values));
  const names = Object.keys(required);
  const none = { valid: fc.constant<[string, string][]>([]), required: [], wrong: {} };
  return [
    { name: `POST ${path}`, method: 'POST', path, hasId: false, valid: form({ ...required, ...optional }, names), required: names, wrong },
    { name: `POST ${path}/:id`, method: 'POST', path, hasId: true, valid: form(update, []), required: [], wrong: wrongUpdate },
    { name: `DELETE ${path}/:id`, method: 'DELETE', path, hasId: true, ...none },
  ];
}

const { host, ...optional } = domain;
const isEnabled = { valid: anyOf('0', '1', 'true'), wrong: marked('x') };
const ROUTES = [
  ...routesOf(DOMAINS, { host }, optional, domain, wrongDomain),
  ...routesOf(
    HANDLERS,
    { name: handler.name, type: anyOf('email') },
    { email: handler.email },
    { ...handler, is_enabled: isEnabled.valid },
    wrongHandler,
    { ...wrongHandler, is_enabled: isEnabled.wrong },
  ),
];

function createRecord({ path }: WriteRoute): Promise<number> {
  return account.client.create(path, path === DOMAINS ? { host: newHost() } : { name: 'Desk', type: 'email' });
}

function draft({ method, path, hasId }: WriteRoute, id: number, form: [string, string][]): Draft {
  return {
    method,
    path,
    id: hasId ? String(id) : undefined,
    query: [],
    headers: { Authorization: `Bearer ${account.key}` },
    type: 'multipart',
    fields: form,
  };
}

/** On MySQL fewer: almost all are rejected before a database is asked. */
const INVALID_RUNS = sized(40, onMysql ? 200 : 2_000);
const VALID_RUNS = sized(20, 100);

describe.each(ROUTES)('$name with random input', (route) => {
  const agent = new Agent({ keepAlive: true });
  afterAll(() => agent.destroy());
  const answerOf = (request: Draft) => sendRaw(application().port, toRequest(request), agent);

  test('rejects any combination of faults as documented and changes nothing', async () => {
    const id = await createRecord(route);
    const before = await application().dump();
    const wrong = fc.uniqueArray(faultsOf(route), { minLength: 1, maxLength: 3, selector: ({ name }) => name });
    const property = fc.asyncProperty(route.valid, oddities, wrong, async (form, makeOdd, faults) => {
      const request = draft(route, id, form);
      makeOdd(request);
      for (const fault of faults) fault.apply(request);
      const answer = await answerOf(request);
      const expected = faults.flatMap(({ statuses }) => statuses);
      if (!expected.includes(answer.status)) {
        const names = faults.map(({ name }) => name).join(', ');
        throw new Error(`${names}: the status is ${answer.status}, not ${expected.join(' or ')}: ${answer.text}`);
      }
      readErrors(answer);
    });
    await fc.assert(property, { seed: jest.getSeed(), numRuns: INVALID_RUNS });
    expect(await application().dump()).toEqual(before);
  });

  test('accepts valid forms, however unusual the request', async () => {
    let id = await createRecord(route);
    const property = fc.asyncProperty(route.valid, oddities, async (form, makeOdd) => {
      const unique = form.map(([name, value]) => [name, name === 'host' ? `${randomBytes(6).toString('hex')}.${value}` : value]);
      const request = draft(route, id, unique as [string, string][]);
      makeOdd(request);
      const { status } = await answerOf(request);
      expect(status).toBe(route.method === 'POST' && !route.hasId ? 201 : 200);
      if (route.method === 'DELETE') id = await createRecord(route);
    });
    await fc.assert(property, { seed: jest.getSeed(), numRuns: VALID_RUNS });
  });
});
