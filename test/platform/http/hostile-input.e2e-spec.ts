/** @mysql whole */
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import fc from 'fast-check';
import type { TestAccount } from '../../support/http/application';
import { useApplication } from '../../support/http/application';
import { onMysql } from '../../support/servers/database';
import { readErrors } from '../../support/http/errors';
import { anyText, type Draft, type Fault, faultsOf, oddities, toRequest, type WriteRoute } from '../../support/http/hostile-requests';
import { sendRaw } from '../../support/http/raw-request';
import { DOMAINS, HANDLERS, newHost } from '../../support/areas/records';
import { sized } from '../../support/jest/size';

/** On MySQL fewer: almost all are refused before a database is asked. */
const HOSTILE_RUNS = sized(40, onMysql ? 200 : 2_000);
const VALID_RUNS = sized(20, 100);

const { application } = useApplication();
const agent = new Agent({ keepAlive: true });
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
});

afterAll(() => agent.destroy());

const host = fc.integer({ min: 0, max: 2 ** 47 }).map((number) => `h${number.toString(36)}.example.com`);
const wrongUrl = fc.oneof(
  fc.constantFrom(
    'example.com',
    '//x',
    'ftp://x.example',
    'https://u:p@x.example',
    'javascript:alert(1)',
    'https://',
    `https://x.example/${'a'.repeat(2048)}`,
  ),
  fc.string({ minLength: 1 }).map((text) => `x${text}x`),
);
const wrongDomain = {
  host: fc.oneof(
    fc.constantFrom('a', 'https://a.example', 'a.example:1', '127.0.0.1', 'a_b.example', '::1', `${'a'.repeat(64)}.example`),
    anyText().map((text) => `/${text}/`),
  ),
  scheme: fc
    .string()
    .filter((text) => !/^https?:\/\/$/.test(text.trim()))
    .map((text) => `x${text}`),
  custom_index_url: wrongUrl,
  custom_not_found_url: wrongUrl,
};
const wrongHandler = {
  name: fc.oneof(
    fc.constantFrom('x'.repeat(129), 'a\u0000b', '💈'.repeat(129)),
    fc.string({ minLength: 129, maxLength: 400 }).map((text) => `x${text}x`),
  ),
  type: fc.string().map((text) => `x${text}`),
  email: fc.string().map((text) => `${text}@`),
  slack: wrongUrl,
  telegram: fc.string().map((text) => `x${text}`),
  twilio: fc.string().map((text) => `x${text}`),
};
const urls = {
  custom_index_url: fc.constantFrom('http://a.example', 'https://例え.example/?ü=%20#x'),
  custom_not_found_url: fc.constantFrom('', 'https://example.com/lost'),
};
const fields = <T extends Record<string, string | undefined>>(form: T) =>
  Object.entries(form).filter(([, value]) => value !== undefined) as [string, string][];

const ROUTES: WriteRoute[] = [
  {
    name: 'POST domains',
    method: 'POST',
    path: DOMAINS,
    hasId: false,
    valid: fc.record({ host, scheme: fc.constantFrom('http://', 'https://'), ...urls }, { requiredKeys: ['host'] }).map(fields),
    required: ['host'],
    wrong: wrongDomain,
  },
  {
    name: 'POST domains/:id',
    method: 'POST',
    path: DOMAINS,
    hasId: true,
    valid: fc.record({ host, scheme: fc.constantFrom('http://', 'https://'), ...urls }, { requiredKeys: [] }).map(fields),
    required: [],
    wrong: wrongDomain,
  },
  { name: 'DELETE domains/:id', method: 'DELETE', path: DOMAINS, hasId: true, valid: fc.constant([]), required: [], wrong: {} },
  {
    name: 'POST notification-handlers',
    method: 'POST',
    path: HANDLERS,
    hasId: false,
    valid: fc
      .record({ name: fc.constantFrom('Desk', 'Señal', '💈'), type: fc.constant('email'), email: fc.constantFrom('', 'a@example.com') })
      .map(fields),
    required: ['name', 'type'],
    wrong: wrongHandler,
  },
  {
    name: 'POST notification-handlers/:id',
    method: 'POST',
    path: HANDLERS,
    hasId: true,
    valid: fc
      .record(
        {
          name: fc.constantFrom('Desk', 'Señal'),
          email: fc.constantFrom('', 'a@example.com'),
          is_enabled: fc.constantFrom('0', '1', 'true'),
        },
        { requiredKeys: [] },
      )
      .map(fields),
    required: [],
    wrong: { ...wrongHandler, is_enabled: fc.string().map((text) => `x${text}`) },
  },
  {
    name: 'DELETE notification-handlers/:id',
    method: 'DELETE',
    path: HANDLERS,
    hasId: true,
    valid: fc.constant([]),
    required: [],
    wrong: {},
  },
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

async function answerOf(request: Draft) {
  const answer = await sendRaw(application().port, toRequest(request), agent);
  if (/evil\.example|gopher/.test(JSON.stringify(answer.headers) + answer.text)) throw new Error('A response contains a forged host.');
  return answer;
}

describe.each(ROUTES)('$name', (route) => {
  test(`refuses ${HOSTILE_RUNS} wrong inputs, each as documented, and changes nothing`, async () => {
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
        throw new Error(`${names(faults)} was answered ${answer.status}, not ${expected.join(' or ')}: ${answer.text}`);
      }
      readErrors(answer);
    });
    await fc.assert(property, { seed: jest.getSeed(), numRuns: HOSTILE_RUNS });
    expect(await application().dump()).toEqual(before);
  });

  test(`takes ${VALID_RUNS} right inputs, however odd`, async () => {
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

function names(faults: Fault[]): string {
  return faults.map(({ name }) => name).join(', ');
}
