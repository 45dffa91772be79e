/** @mysql always */
import { Dialect } from '../../src/platform/database/dialect';
import { Servico } from '../../src/scheduling/collections/collections.entity';
import { type TestAccount, useApplication } from '../support/http/application';
import { stopClock } from '../support/jest/clock';
import { SCHEDULING } from '../support/areas/scheduling-interface';
import { insertScheduling } from '../support/areas/scheduling-records';
import { testOnce } from '../support/jest/size';

const { application } = useApplication();
const PATH = `${SCHEDULING}?api=atendenteservico&orderby=servico-nome&results_per_page=1000`;

/** Enough links for their order to be walked, but few per service, so that a page spans too many services to be read from the walk. */
async function createAccount(first: number): Promise<TestAccount> {
  const account = await application().createAccount();
  const ids = (count: number) => Array.from({ length: count }, (_, index) => first + index);
  await insertScheduling(application(), account.id, {
    servicos: ids(250).map((servicos_id) => ({ servicos_id, servico_nome: `service ${servicos_id}` })),
    atendentes: [{ atendentes_id: first, atendente_nome: 'a', atendente_cargo: 'b', atendente_diponivel: true }],
    atendenteservico: ids(2_500).map((id) => ({ atendenteservico_id: id, atendentes_id: first, servicos_id: first + (id % 250) })),
  });
  return account;
}

const isWalk = (sql: string) => sql.startsWith('SELECT servicos_id, servico_nome_folded FROM servicos');

test('a sort order is not scanned again while its saved positions are current', async () => {
  const { client } = await createAccount(250_000);
  stopClock(); // so that no walk is due
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  const walks = () => reads.mock.calls.filter(([sql]) => isWalk(sql)).length;
  await client.get(PATH).expect(200);
  const once = walks();
  expect(once).toBeGreaterThan(0);
  for (let round = 0; round < 3; round++) await client.get(PATH).expect(200);
  expect(walks()).toBe(once);
});

test('a filtered list is counted once while nobody writes to its tables', async () => {
  const { client } = await createAccount(1_000_000);
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  const isCounted = async (total: number) => {
    reads.mockClear();
    const { body } = await client.get(`${SCHEDULING}?api=atendenteservico&servico-nome=service&results_per_page=10`).expect(200);
    expect((body as { meta: { total: number } }).meta.total).toBe(total);
    return reads.mock.calls.some(([sql]) => sql.includes('COUNT(*) FROM atendenteservico'));
  };
  expect(await isCounted(2_500)).toBe(true);
  expect(await isCounted(2_500)).toBe(false);
  const { dataSource } = application();
  await dataSource.getRepository(Servico).update({ servicos_id: 1_000_000 }, { servico_nome: 'other', servico_nome_folded: 'other' });
  expect(await isCounted(2_490)).toBe(true);
});

testOnce('a page is sent while an order of another account is still being walked', async () => {
  const [one, other] = [await createAccount(500_000), await createAccount(750_000)];
  const dialect = application().app.get(Dialect);
  const read = dialect.read.bind(dialect);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  jest.spyOn(dialect, 'read').mockImplementation(async (sql, values) => {
    if (isWalk(sql)) await released;
    return read(sql, values);
  });
  const held = one.client.get(PATH).then(({ status }) => status);
  const { body } = await other.client.get(PATH).expect(200);
  expect((body as { data: unknown[] }).data).toHaveLength(1_000);
  release();
  expect(await held).toBe(200);
});
