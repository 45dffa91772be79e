/** @mysql always */
import { Dialect } from '../../../../src/platform/database/dialect';
import { Domain } from '../../../../src/domains/domain.entity';
import { type TestAccount, useApplication } from '../../../support/http/application';
import { stopClock } from '../../../support/jest/clock';
import { insertRows } from '../../../support/areas/insert-rows';
import { DOMAINS, newHost } from '../../../support/areas/records';

const { application } = useApplication();
/** Large enough for the service to copy their texts. */
const MANY = 20_400;
let account: TestAccount;
let records: Row[];

interface Row {
  id: number;
  host: string;
  scheme: string;
  datetime: string;
}

beforeAll(async () => {
  account = await application().createAccount();
  const common = { account_id: account.id, custom_index_url: '', custom_not_found_url: '', is_enabled: true };
  const labels = ['shop', 'xn--shp-hna', 'www', 'north', 'south', 'east'];
  const rows = Array.from({ length: MANY }, (_, index) => ({
    ...common,
    host: `${index % 200 < 2 ? labels[index % 2] : labels[2 + (index % 4)]}${index % 2 === 1 && index % 200 < 2 ? '' : `-${index}`}.${index}.example.com`,
    scheme: index % 3 ? 'https://' : 'http://',
    datetime: `2026-01-01 00:00:${String((index * 7) % 60).padStart(2, '0')}`,
  }));
  await insertRows(application().dataSource, Domain, rows);
  await readModel();
});

async function readModel(): Promise<void> {
  records = await application().dataSource.query(`SELECT id, host, scheme, datetime FROM domains WHERE account_id = ${account.id}`);
}

interface Envelope {
  data: { id: number }[];
  meta: { total: number };
}

async function expectPages(host: string, texts: string[], others: Partial<Row> = {}): Promise<void> {
  for (const [orderby, direction] of [
    ['id', 'asc'],
    ['id', 'desc'],
    ['host', 'desc'],
    ['datetime', 'asc'],
  ] as const) {
    const sign = direction === 'asc' ? 1 : -1;
    const wanted = records
      .filter((row) => texts.some((text) => row.host.includes(text)) && (others.scheme ?? row.scheme) === row.scheme)
      .sort((a, b) => sign * (a[orderby] < b[orderby] ? -1 : a[orderby] > b[orderby] ? 1 : a.id - b.id))
      .map(({ id }) => id);
    for (const page of [1, 3, Math.ceil(wanted.length / 25), Math.ceil(wanted.length / 25) + 1]) {
      const query = new URLSearchParams({
        host,
        ...(others.scheme && { scheme: others.scheme }),
        orderby,
        sort: direction,
        page: String(page || 1),
      }).toString();
      const { data, meta } = (await account.client.get(`${DOMAINS}?${query}`).expect(200)).body as Envelope;
      expect([query, data.map(({ id }) => id)]).toEqual([query, wanted.slice(((page || 1) - 1) * 25, (page || 1) * 25)]);
      expect([query, meta.total]).toEqual([query, wanted.length]);
    }
  }
}

test.each<[string, string[], Partial<Row>]>([
  ['nowhere', ['nowhere'], {}],
  ['NORTH', ['north'], {}],
  ['shop-', ['shop-'], {}],
  ['Shóp', ['xn--shp-hna', 'shop'], {}],
  ['Éast', ['xn--ast-9la', 'east'], {}],
  ['north', ['north'], { scheme: 'http://' }],
  ['shop', ['shop'], { scheme: 'http://' }],
])('domains filtered by host=%s are correct, with and without the text copy', async (host, texts, others) => {
  for (let round = 0; round < 2; round++) await expectPages(host, texts, others);
});

test('a text filter on many domains searches the copy of the column in memory', async () => {
  const reads = jest.spyOn(application().app.get(Dialect), 'readIntegers');
  let searched = 1;
  for (let round = 0; round < 50 && searched > 0; round++) {
    reads.mockClear();
    await account.client.get(`${DOMAINS}?host=nowhere${round}`).expect(200);
    searched = reads.mock.calls.length;
  }
  expect(searched).toBe(0);
});

test('a text filter finds what the account has just written', async () => {
  await expectPages('shop', ['shop']);
  stopClock();
  await expectPages('shop', ['shop']);
  const id = await account.client.create(DOMAINS, { host: `shop.${newHost()}` });
  await readModel();
  await expectPages('shop', ['shop']);
  await account.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(200);
  await readModel();
  await expectPages('shop', ['shop']);
  await account.client.delete(`${DOMAINS}/${records.find(({ host }) => host.includes('shop'))!.id}`).expect(200);
  await readModel();
  await expectPages('shop', ['shop']);
});
