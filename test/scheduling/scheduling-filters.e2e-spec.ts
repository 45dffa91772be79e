/** @mysql whole */
import { type TestAccount, useApplication } from '../support/http/application';
import { expectErrors } from '../support/http/errors';
import { SCHEDULING } from '../support/areas/scheduling-interface';
import { insertScheduling } from '../support/areas/scheduling-records';

const { application } = useApplication();
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
  await insertScheduling(application(), account.id, {
    servicos: ['Corte', 'corte 50%', 'Água', 'ÁGUA', 'agua', 'Á_gua', 'agudo', 'Barba'].map((servico_nome, index) => ({
      servicos_id: index + 1,
      servico_nome,
    })),
    atendentes: [
      { atendentes_id: 1, atendente_nome: 'João', atendente_cargo: 'Barbeiro', atendente_diponivel: true },
      { atendentes_id: 2, atendente_nome: 'Joa\u0303o', atendente_cargo: 'barbeiro', atendente_diponivel: false },
      { atendentes_id: 3, atendente_nome: 'Nome Próprio', atendente_cargo: 'Caixa', atendente_diponivel: true },
    ],
    atendenteservico: [
      { atendenteservico_id: 1, atendentes_id: 3, servicos_id: 1 },
      { atendenteservico_id: 2, atendentes_id: 1, servicos_id: 8 },
    ],
    horarios: [
      { horarios_id: 1, horario_id: 'MANHÃ-1', horario_disponivel: true },
      { horarios_id: 2, horario_id: 'tarde_2', horario_disponivel: false },
      { horarios_id: 3, horario_id: '14:30', horario_disponivel: true },
    ],
    agendamentos: [
      { time: '2026-11-21 14:30:00', telefone: '(11) 98765-4321' },
      { time: '2026-11-21 14:31:59', telefone: '(21) 3333-0000' },
      { time: '2026-12-01 00:00:00', telefone: '(11) 3333-0000' },
      { time: '2024-02-29 09:05:07', telefone: '0800' },
    ].map(({ time, telefone }, index) => ({
      agendamento_id: index + 1,
      nome: 'Zoë',
      telefone,
      data_hora: time,
      servicos_id: 1,
      atendentes_id: (index % 2) + 1,
    })),
  });
});

async function idsOf(query: string): Promise<number[]> {
  const response = await account.client.get(`${SCHEDULING}?${query}`);
  expect([query, response.status]).toEqual([query, 200]);
  return (response.body as { data: Record<string, number>[] }).data.map((record) => Object.values(record)[0]);
}

const encoded = (value: string) => encodeURIComponent(value);

test.each([
  ['joao', [1, 2]],
  ['JOÃO', [1, 2]],
  ['joa\u0303o', [1, 2]],
  ['oã', [1, 2]],
  ['ão', [1, 2]],
  ['\u0303', [1, 2, 3]],
  ['joaoo', []],
  ['jo o', []],
])('a text filter matches any part, ignoring case and accents: %j', async (value, ids) => {
  expect(await idsOf(`api=atendentes&atendente-diponivel=&atendente-nome=${encoded(value)}`)).toEqual(ids);
});

test('every filter of every collection compares its own field', async () => {
  expect(await idsOf('api=atendentes&atendente-diponivel=&atendente-cargo=BARB')).toEqual([1, 2]);
  expect(await idsOf('api=agendamentos&nome=zoe')).toEqual([1, 2, 3, 4]);
  expect(await idsOf('api=agendamentos&nome=joao')).toEqual([]);
  expect(await idsOf('api=agendamentos&telefone=(11)')).toEqual([1, 3]);
  expect(await idsOf('api=agendamentos&servico-nome=cort')).toEqual([1, 2, 3, 4]);
  expect(await idsOf('api=agendamentos&servico-nome=barba')).toEqual([]);
  expect(await idsOf('api=agendamentos&atendente-nome=joao&data-hora=2026')).toEqual([1, 2, 3]);
  expect(await idsOf('api=atendenteservico&servico-nome=barba')).toEqual([2]);
  expect(await idsOf('api=atendenteservico&atendentes-nome=proprio')).toEqual([1]);
  expect(await idsOf('api=horarios&horario-id=manha')).toEqual([1]);
  expect(await idsOf('api=horarios&horario-id=4:3')).toEqual([3]);
});

test('% and _ are no wildcards in a text filter', async () => {
  expect(await idsOf('api=servicos&servico-nome=%25')).toEqual([2]);
  expect(await idsOf('api=servicos&servico-nome=c%25e')).toEqual([]);
  expect(await idsOf('api=servicos&servico-nome=_')).toEqual([6]);
  expect(await idsOf('api=servicos&servico-nome=a_g')).toEqual([6]);
  expect(await idsOf('api=horarios&horario-disponivel=&horario-id=_')).toEqual([2]);
});

test('filter values are not trimmed', async () => {
  expect(await idsOf('api=servicos&servico-nome=corte%20')).toEqual([2]);
  expect(await idsOf('api=servicos&servico-nome=%20corte')).toEqual([]);
  expect(await idsOf('api=agendamentos&telefone=)+3')).toEqual([2, 3]);
});

test('several filters are combined with AND', async () => {
  expect(await idsOf('api=agendamentos&telefone=3333&data-hora=2026-11')).toEqual([2]);
  expect(await idsOf('api=agendamentos&telefone=3333&data-hora=2026-11&nome=corte')).toEqual([]);
});

test.each([
  ['2', [1, 2, 3, 4]],
  ['2026', [1, 2, 3]],
  ['2026-', [1, 2, 3]],
  ['2026-1', [1, 2, 3]],
  ['2026-11', [1, 2]],
  ['2026-11-2', [1, 2]],
  ['2026-11-21', [1, 2]],
  ['2026-11-21 ', [1, 2]],
  ['2026-11-21T', [1, 2]],
  ['2026-11-21 14', [1, 2]],
  ['2026-11-21T14', [1, 2]],
  ['2026-11-21T14:3', [1, 2]],
  ['2026-11-21T14:31', [2]],
  ['2026-11-21 14:31:59', [2]],
  ['2026-11-21T14:31:59', [2]],
  ['2026-11-21 14:31:5', [2]],
  ['2026-12-01 0', [3]],
  ['2024-02-29', [4]],
  ['2026-11-30', []],
  ['2026-01-3', []],
  ['9999-12-31', []],
  ['0', []],
])('data-hora=%j matches times that begin with it', async (value, ids) => {
  expect(await idsOf(`api=agendamentos&data-hora=${encoded(value)}`)).toEqual(ids);
});

test.each([
  '2026-13',
  '2026-00',
  '2026-2',
  '2026-02-30',
  '2026-02-3',
  '2026-11-31',
  '2026-04-31',
  '2025-02-29',
  '2026-11-00',
  '2026-11-4',
  '2026-11-21 24',
  '2026-11-21 3',
  '2026-11-21 14:60',
  '2026-11-21 14:6',
  '2026-11-21 14:30:60',
  '2026-11-21 14:30:00 ',
  'T',
  'x',
  '2026-11-21t14',
  '2026-11T',
  '2026/11',
  '21/11/2026',
  '2026-11-21  14',
  '2026-11-21T14:30:00Z',
  '2026-11-21 14:30:00.0',
  '20261',
  ' 2026',
  '-',
  '%',
  '_',
  '2026-11-2_',
  '２０２６',
  '٢',
  '2026-11-21 14:30:00~',
  '2026-11\n',
  '+2026',
])('data-hora=%j is rejected, since no time begins with it', async (value) => {
  const response = await account.client.get(`${SCHEDULING}?api=agendamentos&data-hora=${encoded(value)}`);
  expect([value, response.status]).toEqual([value, 400]);
  expectErrors(response, { code: 'invalid_parameter', source: 'query.data-hora', detail: /YYYY-MM-DD HH:MM:SS/ });
});

describe.each([
  ['atendentes', 'atendente-diponivel', [1, 3], [2]],
  ['horarios', 'horario-disponivel', [1, 3], [2]],
])('%s filtered by %s', (api, name, available, taken) => {
  const by = (value: string) => idsOf(`api=${api}&${name}=${encoded(value)}`);

  test('only available records are listed by default', async () => {
    expect(await idsOf(`api=${api}`)).toEqual(available);
    for (const value of ['true', 'Sim', '1']) expect([value, await by(value)]).toEqual([value, available]);
    for (const value of ['false', 'Não', 'Na\u0303o', 'Nao', '0']) expect([value, await by(value)]).toEqual([value, taken]);
    expect(await by('')).toEqual([1, 2, 3]);
  });

  test.each([
    'SIM',
    'sim',
    'NÃO',
    'não',
    'nao',
    'True',
    'FALSE',
    'yes',
    'no',
    'on',
    'off',
    '2',
    '-1',
    '01',
    ' 1',
    '1 ',
    'Sim\n',
    'null',
    'Na\u0303\u0303o',
    'N\u00e3\u0303o',
    '１',
    '%',
  ])('the value %j is rejected', async (value) => {
    expectErrors(await account.client.get(`${SCHEDULING}?api=${api}&${name}=${encoded(value)}`), {
      code: 'invalid_parameter',
      source: `query.${name}`,
      detail: `${name} must be one of true, false, Sim, Não, Nao, 1, 0, or empty for all.`,
    });
  });

  test('false sorts before true, and ties are sorted by id in the same direction', async () => {
    expect(await idsOf(`api=${api}&${name}=&orderby=${name}`)).toEqual([2, 1, 3]);
    expect(await idsOf(`api=${api}&${name}=&orderby=${name}&sort=desc`)).toEqual([3, 1, 2]);
  });
});

test('atendentes-nome=nome is a placeholder that filters nothing', async () => {
  for (const value of ['', 'nome']) expect(await idsOf(`api=atendenteservico&atendentes-nome=${value}`)).toEqual([1, 2]);
  for (const value of ['Nome', 'NOME', 'nome%20', 'ome']) {
    expect([value, await idsOf(`api=atendenteservico&atendentes-nome=${value}`)]).toEqual([value, [1]]);
  }
  expect(await idsOf('api=agendamentos&atendente-nome=nome')).toEqual([]);
});

test('sorting ignores case and accents', async () => {
  const ascending = [6, 3, 4, 5, 7, 8, 1, 2];
  for (const orderby of ['servico-nome', 'servico_nome']) {
    expect(await idsOf(`api=servicos&orderby=${orderby}`)).toEqual(ascending);
    expect(await idsOf(`api=servicos&orderby=${orderby}&sort=desc`)).toEqual(ascending.toReversed());
  }
});

test('lists are sorted by ascending id without orderby and sort, or with empty values', async () => {
  for (const order of ['', '&orderby=', '&sort=', '&orderby=&sort=', '&sort=asc', '&orderby=servicos_id', '&orderby=servicos-id']) {
    expect([order, await idsOf(`api=servicos${order}`)]).toEqual([order, [1, 2, 3, 4, 5, 6, 7, 8]]);
  }
  expect(await idsOf('api=servicos&sort=desc')).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
});

test('a renamed attendant is found and shown in the records that refer to it', async () => {
  await application().dataSource.query('UPDATE atendentes SET atendente_nome = ?, atendente_nome_folded = ? WHERE atendentes_id = 3', [
    'Íris',
    'iris',
  ]);
  const response = await account.client.get(`${SCHEDULING}?api=atendenteservico&atendentes-nome=IRIS`).expect(200);
  expect(response.text).toBe(
    '{"data":[{"atendenteservico_id":1,"atendentes_id":3,"atendentes_nome":"Íris","servicos_id":1,"servico_nome":"Corte"}]}',
  );
});
