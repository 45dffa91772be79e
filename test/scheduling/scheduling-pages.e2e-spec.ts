/** @mysql whole */
import { PUBLIC_URL, type TestAccount, useApplication } from '../support/http/application';
import { COLLECTIONS, promised, SCHEDULING } from '../support/areas/scheduling-interface';
import { expectedList, type WireRecord } from '../support/areas/scheduling-model';
import { createScheduled, wireRecords } from '../support/areas/scheduling-records';
import { schedulingSeed } from '../support/areas/scheduling-seed';

interface Envelope {
  data: WireRecord[];
  meta: { page: number; results_per_page: number; total: number; total_pages: number };
  links: Record<'first' | 'last' | 'self', string> & Record<'next' | 'prev', string | null>;
}

const { application } = useApplication();
const SEED = schedulingSeed({ agendamentos: 61, others: 26 }, 1);
const RECORDS = wireRecords(SEED);
let account: TestAccount;

beforeAll(async () => {
  account = await createScheduled(application(), SEED);
  await createScheduled(application(), schedulingSeed({ agendamentos: 10, others: 10 }, 1_000)); // a stranger
});

const read = (query: string) => account.client.get(`${SCHEDULING}?${query}`);

async function page(query: string): Promise<Envelope> {
  const response = await read(query);
  expect([query, response.status]).toEqual([query, 200]);
  return response.body as Envelope;
}

const at = (query: string, number: number | string) => `${PUBLIC_URL}${SCHEDULING}?${query}&page=${number}`;

test('?page returns a page of 25 records with meta and links, as other lists do', async () => {
  const response = await read('api=agendamentos&page=1').expect(200);
  const { data, ...rest } = response.body as Envelope;
  expect(data).toEqual(expectedList(promised('agendamentos'), RECORDS.agendamentos, [], 'agendamento-id', 'asc').slice(0, 25));
  const link = (number: number) => at('api=agendamentos', number);
  expect(Object.keys(response.body as Envelope)).toEqual(['data', 'meta', 'links']);
  expect(JSON.stringify(rest)).toBe(
    `{"meta":{"page":1,"results_per_page":25,"total":61,"total_pages":3},` +
      `"links":{"first":"${link(1)}","last":"${link(3)}","next":"${link(2)}","prev":null,"self":"${link(1)}"}}`,
  );
});

test('?results_per_page without page returns page 1', async () => {
  const { data, meta, links } = await page('results_per_page=50&api=agendamentos');
  expect(data).toHaveLength(50);
  expect(meta).toEqual({ page: 1, results_per_page: 50, total: 61, total_pages: 2 });
  expect(links.next).toBe(at('results_per_page=50&api=agendamentos', 2));
});

test('links keep every parameter in order and as encoded, empty ones too, with page last', async () => {
  const { links } = await page('page=2&api=agendamentos&nome=Jo%C3%A3o+da&results_per_page=10&telefone=&sort=desc&orderby=data_hora');
  const kept = 'api=agendamentos&nome=Jo%C3%A3o+da&results_per_page=10&telefone=&sort=desc&orderby=data_hora';
  expect(links.self).toBe(at(kept, 2));
  expect(links.first).toBe(at(kept, 1));
  const special = '%&=+#"\u00e3';
  const filtered = await page(`api=servicos&servico-nome=${encodeURIComponent(special)}&page=1`);
  expect(new URL(filtered.links.self).searchParams.get('servico-nome')).toBe(special);
});

test.each(COLLECTIONS)('following links.next reads every record of $api once, in order', async (collection) => {
  const orderby = collection.texts[0];
  const wanted = expectedList(collection, RECORDS[collection.api], [], orderby, 'desc');
  const seen: WireRecord[] = [];
  let query: string | undefined = `api=${collection.api}&orderby=${orderby}&sort=desc&results_per_page=10`;
  while (query) {
    const { data, meta, links }: Envelope = await page(query);
    expect(meta.total).toBe(wanted.length);
    seen.push(...data);
    query = links.next?.slice(`${PUBLIC_URL}${SCHEDULING}?`.length);
  }
  expect(seen).toEqual(wanted);
});

test('meta.total counts the records that match the filter', async () => {
  const filter = { parameter: 'nome', value: 'ÁGUA', type: 'text', plain: 'agua' } as const;
  const wanted = expectedList(promised('agendamentos'), RECORDS.agendamentos, [filter], 'agendamento-id', 'asc');
  const { data, meta } = await page('api=agendamentos&nome=%C3%81GUA&page=1');
  expect(wanted.length).toBeGreaterThan(1);
  expect(data).toEqual(wanted);
  expect(meta).toEqual({ page: 1, results_per_page: 25, total: wanted.length, total_pages: 1 });
});

test('the default of a flag also applies to pages', async () => {
  const available = RECORDS.horarios.filter(({ horario_disponivel }) => horario_disponivel).length;
  expect((await page('api=horarios&page=1')).meta.total).toBe(available);
  expect((await page('api=horarios&page=1&horario-disponivel=')).meta.total).toBe(RECORDS.horarios.length);
});

test('a page past the end is empty and links to the last page as prev', async () => {
  for (const number of ['4', '1000', '2147483648', '9007199254740993', '9'.repeat(20), '9'.repeat(400)]) {
    const { text } = await read(`api=agendamentos&page=${number}`).expect(200);
    const shown = Math.min(Number(number), Number.MAX_SAFE_INTEGER);
    const [first, last, self] = [1, 3, shown].map((each) => at('api=agendamentos', each));
    expect(text).toBe(
      `{"data":[],"meta":{"page":${shown},"results_per_page":25,"total":61,"total_pages":3},` +
        `"links":{"first":"${first}","last":"${last}","next":null,"prev":"${last}","self":"${self}"}}`,
    );
  }
});

test('an empty list has no pages and links to page 1 only', async () => {
  for (const number of [1, 7]) {
    const { data, meta, links } = await page(`api=servicos&servico-nome=nobody&page=${number}`);
    const first = at('api=servicos&servico-nome=nobody', 1);
    expect([data, meta]).toEqual([[], { page: number, results_per_page: 25, total: 0, total_pages: 0 }]);
    expect(links).toMatchObject({ first, last: first, next: null, prev: number === 1 ? null : first });
  }
});
