/** @mysql whole */
import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import { type TestAccount, useApplication } from '../support/http/application';
import { sendRaw } from '../support/http/raw-request';
import { COLLECTIONS, ordersOf, type PromisedCollection, SCHEDULING } from '../support/areas/scheduling-interface';
import { expectedList, type Filter, type WireRecord } from '../support/areas/scheduling-model';
import { createScheduled, wireRecords } from '../support/areas/scheduling-records';
import { schedulingSeed } from '../support/areas/scheduling-seed';
import { sized } from '../support/jest/size';

const { application } = useApplication();
const agent = new Agent({ keepAlive: true });
const SEED = schedulingSeed({ agendamentos: 210, others: 120 }, 1);
const RECORDS = wireRecords(SEED);
let account: TestAccount;

beforeAll(async () => {
  account = await createScheduled(application(), SEED);
  await createScheduled(application(), schedulingSeed({ agendamentos: 40, others: 40 }, 1_000)); // a stranger
});

afterAll(() => agent.destroy());

const text = (value: string, plain: string) => (parameter: string) => ({ parameter, value, type: 'text' as const, plain });
const none = (value: string) => (parameter: string) => ({ parameter, value, type: 'none' as const });
const time = (value: string, prefix = value) => ({ parameter: 'data-hora', value, type: 'time' as const, prefix });
const flag = (value: string, on: boolean) => (parameter: string) => ({ parameter, value, type: 'flag' as const, flag: on });

const SOME_TEXTS = [
  none(''),
  text('joao', 'joao'),
  text('ÁGUA', 'agua'),
  text('joa\u0303o da', 'joao da'),
  text('%', '%'),
  text('9876', '9876'),
];
const TEXT_VALUES = [
  ...SOME_TEXTS,
  text('JOÃO', 'joao'),
  text('õ', 'o'),
  text('οδυσσεύς', 'οδυσσευσ'),
  text('ø', 'o'),
  text('SSE', 'sse'),
  text('가', '가'),
  text('💈', '💈'),
  text('_', '_'),
  text('100', '100'),
  text("'", "'"),
  text('\\', '\\'),
  text(' ', ' '),
  text('nobody', 'nobody'),
];
const TIME_VALUES = [
  { parameter: 'data-hora', value: '', type: 'none' as const },
  time('2026'),
  time('2026-11'),
  time('2026-1'),
  time('2026-11-21'),
  time('2026-11-21 14'),
  time('2026-11-21T14:30', '2026-11-21 14:30'),
  time('2026-11-21T14:30:00', '2026-11-21 14:30:00'),
  time('0'),
  time('2030'),
];
const FLAG_VALUES = [
  none(''),
  flag('true', true),
  flag('Sim', true),
  flag('1', true),
  flag('false', false),
  flag('Não', false),
  flag('Na\u0303o', false),
  flag('Nao', false),
  flag('0', false),
];

/** `npm test` runs the first of this many parts. */
const PARTS = sized(6, 1);
const isOfPart = (turn: number) => turn % PARTS === 0;

/** No filter, each filter with each of its values, and every pair of filters. */
function filterSets(collection: PromisedCollection): Filter[][] {
  const texts = collection.texts.map((name, index) => (index ? SOME_TEXTS : TEXT_VALUES).map((value): Filter => value(name)));
  const placeholders = collection.api === 'atendenteservico' ? [none('nome')('atendentes-nome')] : [];
  const flags = collection.flags.map((name) => FLAG_VALUES.map((value): Filter => value(name)));
  const byParameter: Filter[][] = [...texts, ...collection.times.map(() => TIME_VALUES), ...flags];
  const pairs = byParameter.flatMap((one, index) =>
    byParameter.slice(index + 1).flatMap((other) => [
      [one[1], other[1]],
      [one[2], other[4]],
      [one.at(-2)!, other[3]],
    ]),
  );
  return [[], ...placeholders.map((filter) => [filter]), ...byParameter.flat().map((filter) => [filter]), ...pairs];
}

type Pairs = [string, string][];

/** The fields that a list can be ordered by, each with its spellings. */
function orders(collection: PromisedCollection): { by: string; spellings: Pairs[] }[] {
  return ordersOf(collection).map((by) => ({
    by,
    spellings: [
      [['orderby', by]],
      [['orderby', by.replaceAll('-', '_')]],
      ...(by === collection.idParameter ? [[], [['orderby', '']] as Pairs, [['orderby', collection.defaultOrder]] as Pairs] : []),
    ],
  }));
}

const SORTS: { sort: 'asc' | 'desc'; spellings: Pairs[] }[] = [
  { sort: 'asc', spellings: [[], [['sort', '']], [['sort', 'asc']]] },
  { sort: 'desc', spellings: [[['sort', 'desc']]] },
];

/** Every spelling of an order with every spelling of a direction; with a filter, they rotate. */
function spellings(order: Pairs[], sort: Pairs[], turn: number | undefined): Pairs[] {
  if (turn !== undefined) return [[...order[turn % order.length], ...sort[turn % sort.length]]];
  return order.flatMap((one) => sort.map((other) => [...one, ...other]));
}

async function textOf(query: Pairs): Promise<string> {
  const path = `${SCHEDULING}?${new URLSearchParams(query).toString()}`;
  const answer = await sendRaw(application().port, { method: 'GET', path, headers: { Authorization: `Bearer ${account.key}` } }, agent);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text;
}

/** Computed from the model, so databases that match it match each other byte for byte. */
test.each(COLLECTIONS)('$api returns the expected list for every filter, order and direction', async (collection) => {
  const records: readonly WireRecord[] = RECORDS[collection.api];
  expect(records.map((record) => Object.keys(record))).toEqual(records.map(() => collection.fields));
  const answered = createHash('sha256');
  const expected = createHash('sha256');
  let listed = 0;
  for (const [turn, filters] of filterSets(collection).entries()) {
    if (turn > 0 && !isOfPart(turn)) continue;
    for (const { by, spellings: order } of orders(collection)) {
      for (const { sort, spellings: direction } of SORTS) {
        const list = expectedList(collection, records, filters, by, sort);
        const wanted = JSON.stringify({ data: list });
        for (const spelled of spellings(order, direction, filters.length > 0 ? turn : undefined)) {
          const query: Pairs = [['api', collection.api], ...filters.map(pairOf), ...spelled];
          const content = await textOf(query);
          if (content !== wanted) expect({ query, data: (JSON.parse(content) as { data: unknown }).data }).toEqual({ query, data: list });
          answered.update(content);
          expected.update(wanted);
        }
        listed += list.length;
      }
    }
  }
  expect(listed).toBeGreaterThan(records.length);
  expect(answered.digest('hex')).toBe(expected.digest('hex'));
});

function pairOf({ parameter, value }: Filter): [string, string] {
  return [parameter, value];
}
