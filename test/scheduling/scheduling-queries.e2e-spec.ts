/** @mysql always */
import { Agent } from 'node:http';
import { unescape } from 'node:querystring';
import fc from 'fast-check';
import { type TestAccount, useApplication } from '../support/http/application';
import { readErrors } from '../support/http/errors';
import { sendRaw } from '../support/http/raw-request';
import { COLLECTIONS, ordersOf, type PromisedCollection, SCHEDULING } from '../support/areas/scheduling-interface';
import { plain, type WireRecord } from '../support/areas/scheduling-model';
import { createScheduled, wireRecords } from '../support/areas/scheduling-records';
import { schedulingSeed } from '../support/areas/scheduling-seed';
import { sized } from '../support/jest/size';

const RUNS = sized(100, 2_000);

const { application } = useApplication();
const agent = new Agent({ keepAlive: true });
const SEEDED = schedulingSeed({ agendamentos: 40, others: 40 }, 1);
const RECORDS = wireRecords(SEEDED);
let account: TestAccount;

beforeAll(async () => {
  account = await createScheduled(application(), SEEDED);
  await createScheduled(application(), schedulingSeed({ agendamentos: 10, others: 10 }, 1_000)); // a stranger
});

afterAll(() => agent.destroy());

/** A raw query parameter, which may not be UTF-8. */
type Pair = [name: string, value: string];

const INJECTIONS = [
  "' OR '1'='1",
  "'; DROP TABLE agendamentos; --",
  '" OR ""="',
  '1) UNION SELECT * FROM api_keys --',
  '`nome`',
  'nome; SELECT SLEEP(9)',
  'nome DESC, (SELECT key_hash FROM api_keys)',
  'CASE WHEN 1 THEN nome END',
  '\\',
  "\\'",
  '%',
  '_',
  '%%',
  '%_%',
  '?',
  ':1',
  '$1',
  '{{7*7}}',
  '\u0000',
  'joao\u0000',
  'a\r\nX-Injected: 1',
  '__proto__',
  'constructor',
  '[object Object]',
  'x'.repeat(10_240),
  '%'.repeat(3_000),
];
const BROKEN = ['%ff', '%c3%28', '%e2%82', '%f0%28%8c%bc', '%ed%a0%80', '%c0%af', 'a%fe'];

const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...INJECTIONS).map(encodeURIComponent) },
  { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }).map(encodeURIComponent) },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }).map((text) => text.replace(/[^!-"$-~]/g, '+')) },
);
const findable = fc.constantFrom(
  'joao',
  'ÁGUA',
  'Conceição',
  '%',
  '_',
  '100',
  "'",
  '\\',
  'a',
  'nome',
  '2026-11',
  '2026-11-21T14',
  'Sim',
  'Nao',
  '',
);

function pairsOf(collection: PromisedCollection): fc.Arbitrary<Pair[]> {
  const names = [...collection.texts, ...collection.times, ...collection.flags];
  const own = fc.tuple(fc.constantFrom(...names), fc.oneof(findable.map(encodeURIComponent), hostile));
  const orderby = fc.tuple(fc.constant('orderby'), fc.oneof(fc.constantFrom(...ordersOf(collection)), hostile));
  const sort = fc.tuple(fc.constant('sort'), fc.oneof(fc.constantFrom('asc', 'desc', ''), hostile));
  const page = fc.tuple(
    fc.constantFrom('page', 'results_per_page'),
    fc.oneof(fc.constantFrom('1', '2', '10', '99999999999999999999'), hostile),
  );
  const id = fc.tuple(fc.constant(collection.idParameter), fc.oneof(fc.nat({ max: 60 }).map(String), hostile));
  const unknown = fc.tuple(hostile, hostile);
  const anyPair = fc.oneof(
    { weight: 8, arbitrary: own },
    ...[orderby, sort].map((arbitrary) => ({ weight: 3, arbitrary })),
    ...[page, id, unknown].map((arbitrary) => ({ weight: 1, arbitrary })),
  );
  return fc.array(anyPair, { maxLength: 4 });
}

const queries = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(...COLLECTIONS).chain((one) => pairsOf(one).map((pairs): Pair[] => [['api', one.api], ...pairs])),
  },
  { weight: 1, arbitrary: pairsOf(COLLECTIONS[0]).chain((pairs) => hostile.map((api): Pair[] => [['api', api], ...pairs])) },
  { weight: 1, arbitrary: pairsOf(COLLECTIONS[1]).map((pairs): Pair[] => [['api', 'atendentes'], ...pairs, ...pairs]) },
);

/** A value may contain `&` and `=` unencoded. */
function readPairs(query: string): Pair[] {
  return query.split('&').map((pair) => [pair.split('=', 1)[0], pair.split('=').slice(1).join('=')]);
}

/** Whether a record matches this query, by the text values that the model knows; other values match none of them. */
function belongs(collection: PromisedCollection, record: WireRecord, [name, sent]: Pair): boolean {
  const value = unescape(sent.replaceAll('+', ' '));
  const field = record[name.replaceAll('-', '_')];
  if (name === collection.idParameter) return field === Number(value);
  if (value === '' || (name === 'atendentes-nome' && value === 'nome')) return true;
  if (collection.times.includes(name)) return String(field).startsWith(value.replace('T', ' '));
  if (collection.flags.includes(name)) return field === ['true', 'Sim', '1'].includes(value);
  if (!collection.texts.includes(name)) return true;
  const sought = value
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ς', 'σ');
  return plain(String(field)).includes(sought);
}

test('random queries get matching records or a documented error, never a 500', async () => {
  const statuses: Record<number, number> = {};
  const property = fc.asyncProperty(queries, async (pairs) => {
    const query = pairs.map((pair) => pair.join('=')).join('&');
    const path = `${SCHEDULING}?${query}`;
    const answer = await sendRaw(application().port, { method: 'GET', path, headers: { Authorization: `Bearer ${account.key}` } }, agent);
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    expect(Object.keys(answer.headers)).not.toContain('x-injected');
    if (answer.status !== 200) {
      expect([400, 404, 413]).toContain(answer.status);
      readErrors(answer);
      return;
    }
    const { data } = JSON.parse(answer.text) as { data: WireRecord | WireRecord[] };
    const collection = COLLECTIONS.find(({ api }) => api === pairs[0][1])!;
    const own = new Set(RECORDS[collection.api].map((record) => JSON.stringify(record)));
    for (const record of [data].flat()) {
      expect(own).toContain(JSON.stringify(record));
      expect(readPairs(query).filter((pair) => !belongs(collection, record, pair))).toEqual([]);
    }
  });
  await fc.assert(property, { seed: jest.getSeed(), numRuns: RUNS });
  expect(statuses[200]).toBeGreaterThan(RUNS / 10);
  expect(statuses[400]).toBeGreaterThan(RUNS / 10);
});
