/** @mysql whole */
import { type TestAccount, useApplication } from '../support/http/application';
import { promised, SCHEDULING } from '../support/areas/scheduling-interface';
import { expectedList, type Filter, type WireRecord } from '../support/areas/scheduling-model';
import { insertScheduling, wireRecords } from '../support/areas/scheduling-records';
import { schedulingSeed } from '../support/areas/scheduling-seed';

const { application } = useApplication();
/** Large enough to have its ids read as integers, and its texts copied. */
const SEED = schedulingSeed({ agendamentos: 1, others: 20_401 }, 1);
const HORARIOS = promised('horarios');
const RECORDS = wireRecords(SEED).horarios;
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
  await insertScheduling(application(), account.id, { horarios: SEED.horarios });
});

const TEXT: Filter = { parameter: 'horario-id', value: 'zoe', type: 'text', plain: 'zoe' };

test.each([
  ['the flag of itself', []],
  ['a text and the flag of itself', [TEXT]],
  ['a text and the other flag', [TEXT, { parameter: 'horario-disponivel', value: 'false', type: 'flag', flag: false }]],
] satisfies [string, Filter[]][])('a large list filtered by %s is right, from the database and from the copy', async (_, filters) => {
  const parameters = filters.map(({ parameter, value }): [string, string] => [parameter, value]);
  const query = new URLSearchParams([['api', 'horarios'], ['orderby', 'horario-id'], ...parameters]).toString();
  const wanted = expectedList(HORARIOS, RECORDS, filters, 'horario-id', 'asc');
  for (let round = 0; round < 3; round++) {
    const { data } = (await account.client.get(`${SCHEDULING}?${query}`).expect(200)).body as { data: WireRecord[] };
    if (JSON.stringify(data) !== JSON.stringify(wanted)) expect(data).toEqual(wanted); // which takes a second
    const page = await account.client.get(`${SCHEDULING}?${query}&page=2`).expect(200);
    expect((page.body as { data: WireRecord[] }).data).toEqual(wanted.slice(25, 50));
  }
});
