/** @mysql whole */
import { setTimeout as pause } from 'node:timers/promises';
import { Dialect } from '../../src/platform/database/dialect';
import { type TestAccount, useApplication, withApplication } from '../support/http/application';
import { stopClock } from '../support/jest/clock';
import {
  type CollectionName,
  COLLECTIONS,
  ordersOf,
  promised,
  type PromisedCollection,
  SCHEDULING,
} from '../support/areas/scheduling-interface';
import { expectedList, type Filter, type WireRecord } from '../support/areas/scheduling-model';
import { createScheduled, wireRecords } from '../support/areas/scheduling-records';
import { schedulingSeed } from '../support/areas/scheduling-seed';
import { inTurn, isWhole, sample } from '../support/jest/size';
import { importText } from '../support/areas/transfer';

const { application, database } = useApplication();
/** Each collection is large enough to have its orders walked, agendamentos and horarios also to have their texts copied. */
const SEED = {
  ...schedulingSeed({ agendamentos: 20_400, others: 2_101 }, 1),
  horarios: schedulingSeed({ agendamentos: 1, others: 20_401 }, 1).horarios,
};
const AGENDAMENTOS = promised('agendamentos');
const HORARIOS = promised('horarios');
let account: TestAccount;

beforeAll(async () => {
  account = await createScheduled(application(), SEED);
  await createScheduled(application(), schedulingSeed({ agendamentos: 50, others: 50 }, 100_000)); // a stranger
});

interface Envelope {
  data: WireRecord[];
  meta: { total: number };
}

async function read(query: string): Promise<Envelope> {
  const response = await account.client.get(`${SCHEDULING}?${query}`);
  expect([query, response.status]).toEqual([query, 200]);
  return response.body as Envelope;
}

const allFlags = ({ flags }: PromisedCollection) => flags.map((name) => `&${name}=`).join('');

interface List {
  collection: PromisedCollection;
  orderby: string;
  sort: 'asc' | 'desc';
  filters?: Filter[];
}

let records = wireRecords(SEED);

/** Call after a change of SEED. */
function changeModel(): void {
  records = wireRecords(SEED);
}

function wantedOf({ collection, orderby, sort, filters = [] }: List): WireRecord[] {
  return expectedList(collection, records[collection.api], filters, orderby, sort);
}

/** The pages to read of each size, from the first (0) to the last (1). */
const READ: [size: number, shares: number[]][] = isWhole
  ? [
      [25, [0, 0.3, 0.71, 1]],
      [1000, [0.5, 1]],
    ]
  : [
      [25, [0, 0.71]],
      [1000, [1]],
    ];

async function expectPages({ collection, orderby, sort, filters = [] }: List, wanted: WireRecord[], suffix = ''): Promise<void> {
  const given = filters.map(({ parameter, value }) => `&${parameter}=${encodeURIComponent(value)}`).join('');
  for (const [size, shares] of READ) {
    const pages = Math.max(1, Math.ceil(wanted.length / size));
    for (const page of [...shares.map((share) => Math.max(1, Math.round(pages * share))), pages + 1]) {
      const query = `api=${collection.api}&orderby=${orderby}&sort=${sort}&results_per_page=${size}&page=${page}${given}${suffix}`;
      const { data, meta } = await read(query);
      const expected = wanted.slice((page - 1) * size, page * size);
      if (JSON.stringify(data) !== JSON.stringify(expected)) expect([query, data]).toEqual([query, expected]);
      expect([query, meta.total]).toEqual([query, wanted.length]);
    }
  }
}

/** Counts in the background do not qualify account_id. */
const COUNTS_PAGE = /^SELECT COUNT\(\*\) FROM .* WHERE \w+\.account_id/;

/** Waits for the orders to be walked in the background: until no page counts its list. */
async function walked(lists: string[]): Promise<void> {
  const dialect = application().app.get(Dialect);
  for (const list of lists) {
    for (let isCounted = true; isCounted;) {
      const reads = jest.spyOn(dialect, 'read');
      await read(list);
      isCounted = reads.mock.calls.some(([sql]) => COUNTS_PAGE.test(sql));
      reads.mockRestore();
      if (isCounted) await pause(20);
    }
  }
}

const firstPages = (collection: PromisedCollection) =>
  ordersOf(collection).map((orderby) => `api=${collection.api}&orderby=${orderby}&page=1${allFlags(collection)}`);

const SORTS = ['asc', 'desc'] as const;
const ORDERS = COLLECTIONS.flatMap((collection) => ordersOf(collection).map((orderby) => [collection.api, orderby, collection] as const));

describe.each(sample(ORDERS, 3).map(([api, orderby, collection], index) => [api, orderby, collection, inTurn(SORTS, index)] as const))(
  'the list of %s sorted by %s',
  (_, orderby, collection, sorts) => {
    test('pages are correct before and after the order is walked', async () => {
      for (const sort of sorts) {
        const filters = collection.flags.map((parameter): Filter => ({ parameter, value: '', type: 'none' }));
        const list = { collection, orderby, sort, filters };
        const wanted = wantedOf(list);
        await expectPages(list, wanted);
        await walked([`api=${collection.api}&orderby=${orderby}&page=1${allFlags(collection)}`]);
        await expectPages(list, wanted);
      }
    });
  },
);

const found = (value: string, plain: string, parameter = 'nome'): Filter => ({ parameter, value, type: 'text', plain });
const TEXT_FILTERS: Filter[][] = [
  [found('nobody', 'nobody')],
  [found('ZOË', 'zoe')],
  [found('água ver', 'agua ver')],
  [found('a', 'a')],
  [found('\u{1F488}', '\u{1F488}')],
  [found('%', '%')],
  [found('\u0303', '')],
  [found('joao', 'joao'), found('9', '9', 'telefone')],
  [found('zoe', 'zoe'), found('joao', 'joao', 'atendente-nome')],
  [found('nobody', 'nobody', 'atendente-nome')],
  [found('zoe', 'zoe', 'servico-nome')],
  [found('o', 'o', 'servico-nome')],
  [found('zoe', 'zoe'), { parameter: 'data-hora', value: '2026-11', type: 'time', prefix: '2026-11' }],
];

const FILTERED_ORDERS = [
  ['agendamento-id', 'desc'],
  ['nome', 'desc'],
  ['nome', 'asc'],
  ['atendente-nome', 'asc'],
] as const;

async function expectFiltered(filters: Filter[], turn = 0): Promise<void> {
  for (const [orderby, sort] of inTurn(FILTERED_ORDERS, turn)) await expectList({ collection: AGENDAMENTOS, orderby, sort, filters });
}

/** Reads pages and the complete list. */
async function expectList(list: List): Promise<void> {
  const wanted = wantedOf(list);
  await expectPages(list, wanted);
  const { collection, orderby, sort, filters = [] } = list;
  const parameters = filters.map(({ parameter, value }): [string, string] => [parameter, value]);
  const query = new URLSearchParams([['api', collection.api], ['orderby', orderby], ['sort', sort], ...parameters]).toString();
  const { data } = await read(query);
  if (JSON.stringify(data) !== JSON.stringify(wanted)) expect([query, data]).toEqual([query, wanted]);
}

const NAMED_FILTERS = TEXT_FILTERS.map((filters, index) => {
  const name = filters.map(({ parameter, value }) => `${parameter}=${value}`).join('&');
  return [name, filters, index] as const;
});

test.each(sample(NAMED_FILTERS, 3))('lists filtered by %s are correct, with and without the text copy', async (_, filters, index) => {
  for (let round = 0; round < 2; round++) await expectFiltered(filters, index);
});

const TEXT = found('zoe', 'zoe', 'horario-id');

test.each<[string, Filter[]]>([
  ['its default', []],
  ['its default and a text', [TEXT]],
  ['false and a text', [TEXT, { parameter: 'horario-disponivel', value: 'false', type: 'flag', flag: false }]],
])('lists filtered by a flag with %s are correct, with and without the text copy', async (_, filters) => {
  for (let round = 0; round < 3; round++) {
    for (const orderby of ordersOf(HORARIOS)) await expectList({ collection: HORARIOS, orderby, sort: 'asc', filters });
  }
});

describe('an import by another process', () => {
  /** While the clock is stopped, no cached count or order expires. */
  async function importElsewhere(name: CollectionName, columns: string[], rows: object[]): Promise<void> {
    await walked(firstPages(AGENDAMENTOS));
    await expectFiltered([found('zoe', 'zoe')]);
    stopClock();
    const lines = rows.map((row) => columns.map((column) => (row as Record<string, unknown>)[column]).join(','));
    await withApplication(database().env, async (importer) => {
      expect(await importText(importer, account.id, name, [columns.join(','), ...lines].join('\n'))).toMatchObject({ read: rows.length });
    });
    changeModel();
    await expectEveryOrder();
    await expectFiltered([found('zoe', 'zoe')]);
  }
  const COLUMNS = ['agendamento_id', 'nome', 'telefone', 'data_hora', 'servicos_id', 'atendentes_id'];

  test('when the import changes and adds records', async () => {
    const changed = SEED.agendamentos.slice(7_000, 7_300);
    const { servicos_id, atendentes_id } = SEED.agendamentos[20];
    for (const record of changed)
      Object.assign(record, { nome: 'zoe', telefone: '0', data_hora: '2027-01-01 00:00:00', servicos_id, atendentes_id });
    const added = SEED.agendamentos.slice(0, 40).map((record, index) => ({ ...record, nome: 'agata', agendamento_id: 60_000 + index }));
    SEED.agendamentos.push(...added);
    await importElsewhere('agendamentos', COLUMNS, [...changed, ...added]);
  });

  test('when the import renames the records that they refer to', async () => {
    const renamed = SEED.atendentes.slice(0, 300);
    for (const record of renamed) Object.assign(record, { atendente_nome: 'zoe', atendente_cargo: 'zoe' });
    await importElsewhere('atendentes', ['atendentes_id', 'atendente_nome', 'atendente_cargo'], renamed);
  });
});

test.each([
  ['a page', 'aguardente', '&page=1'],
  ['a page by another order', 'nandu', '&orderby=telefone&sort=desc&page=2'],
  ['a whole list', 'agata!', ''],
])('%s filtered by a text has only matching records when an import changes them during the read', async (_, text, query) => {
  const filters = [found(text, text)];
  const matching = () => wantedOf({ collection: AGENDAMENTOS, orderby: 'agendamento-id', sort: 'asc', filters });
  const changed = new Set(
    matching()
      .slice(0, -60)
      .map(({ agendamento_id }) => agendamento_id),
  );
  const dialect = application().app.get(Dialect);
  const readRows = dialect.read.bind(dialect);
  let isChanged = false;
  jest.spyOn(dialect, 'read').mockImplementation(async (...statement) => {
    const isFirst = !isChanged && statement[0].startsWith('SELECT agendamentos.agendamento_id');
    if (!isFirst) return readRows(...statement);
    isChanged = true;
    const records = SEED.agendamentos.filter(({ agendamento_id }) => changed.has(agendamento_id));
    for (const record of records) record.nome = 'rui';
    const lines = records.map((record) => Object.values(record).join(','));
    await importText(application(), account.id, 'agendamentos', [Object.keys(records[0]).join(','), ...lines].join('\n'));
    return readRows(...statement);
  });
  const { data } = await read(`api=agendamentos&nome=${text}${query}`);
  changeModel();
  const left = new Set(matching().map(({ agendamento_id }) => agendamento_id));
  expect(data.filter(({ agendamento_id }) => !left.has(agendamento_id)).map(({ nome }) => nome)).toEqual([]);
  expect(data).toHaveLength(query === '' ? 60 : 25);
});

async function expectEveryOrder(): Promise<void> {
  for (const [index, orderby] of ordersOf(AGENDAMENTOS).entries()) {
    for (const sort of inTurn(SORTS, index)) {
      const list: List = { collection: AGENDAMENTOS, orderby, sort };
      await expectPages(list, wantedOf(list));
    }
  }
}
