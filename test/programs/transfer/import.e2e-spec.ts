/** @mysql whole */
import { useApplication } from '../../support/http/application';
import { exportText, importText } from '../../support/areas/transfer';

const { application } = useApplication();

const KEY = '8f14e45fceea167a5a36dedd4bea2543';

async function account(): Promise<number> {
  return (await application().createAccount()).id;
}

test('export returns every collection as imported, in every format', async () => {
  const id = await account();
  const files = {
    campaigns: 'campaign_id,name\n101,Verão',
    notifications: `campaign_id;notification_key;name;type;settings\n101;${KEY};Oi;INFO;"{""a"":1}"`,
    servicos: 'servicos_id,servico_nome\n201,Coloração',
    atendentes: 'atendentes_id\tatendente_nome\tatendente_cargo\tatendente_diponivel\n301\tJúlia\tChefe\tNão',
    atendenteservico: 'atendentes_id,servicos_id\n301,201',
    horarios: 'horario_id,horario_disponivel\n14:30,\n15:00,0',
    agendamentos: 'nome,telefone,data_hora,servicos_id,atendentes_id\nJoão,1,2026-11-21T10:00:00,201,301',
  };
  for (const [name, file] of Object.entries(files)) {
    expect(await importText(application(), id, name, file)).toMatchObject({ printed: [], updated: 0, bad: 0 });
    const before = await exportText(application(), id, name, 'ndjson');
    for (const format of ['csv', 'ndjson', 'json'] as const) {
      const exported = await exportText(application(), id, name, format);
      expect(await importText(application(), id, name, exported, { format })).toMatchObject({ printed: [], inserted: 0, bad: 0 });
      expect(await exportText(application(), id, name, 'ndjson')).toBe(before);
    }
  }
  const [appointment] = JSON.parse(await exportText(application(), id, 'agendamentos', 'json')) as unknown[];
  expect(appointment).toMatchObject({ servico_nome: 'Coloração', atendente_nome: 'Júlia', data_hora: '2026-11-21 10:00:00' });
});

test('import cannot update or reference records of another account', async () => {
  const [one, other] = [await account(), await account()];
  await importText(application(), one, 'servicos', 'servicos_id,servico_nome\n501,A');
  const result = await importText(application(), other, 'servicos', 'servicos_id,servico_nome\n501,B\n502,C\n502,D\nx,E\n503,');
  expect(result).toMatchObject({ read: 5, inserted: 0, updated: 0, bad: 4 });
  expect(result.printed).toEqual([
    'record 1: servicos_id is taken; without an id the record gets a new one.',
    'record 3: servicos_id appears in the file more than once.',
    'record 4: servicos_id must be an id, in digits, from 1 to 2147483647.',
    'record 5: servico_nome is required.',
  ]);
  expect(await exportText(application(), other, 'servicos', 'csv')).toBe('servicos_id,servico_nome\n');
  const foreign = await importText(application(), other, 'atendenteservico', 'atendentes_id,servicos_id\n301,501');
  expect(foreign).toMatchObject({ read: 1, bad: 1 });
});

test('import trims invisible characters, and rejects them within a value', async () => {
  const file = 'servicos_id,servico_nome\n\u200b97701\u2060,\u202aCorte\u202c\n97\u200b702,B';
  const result = await importText(application(), await account(), 'servicos', file, { skipBad: true });
  expect(result).toMatchObject({ inserted: 1, printed: ['record 2: servicos_id holds an invisible character, U+200B.'] });
});

test('import keeps the values of absent columns, and new ids follow the highest given one', async () => {
  const id = await account();
  await importText(application(), id, 'campaigns', 'campaign_id,name,is_enabled,datetime\n,B,,\n7001,A,0,2020-01-01 00:00:00');
  await importText(application(), id, 'campaigns', 'campaign_id,name,datetime\n7001,AA,');
  const campaigns = JSON.parse(await exportText(application(), id, 'campaigns', 'json')) as { campaign_id: number }[];
  expect(campaigns[0]).toEqual({ campaign_id: 7001, name: 'AA', is_enabled: false, datetime: '2020-01-01 00:00:00' });
  expect(campaigns[1]).toMatchObject({ campaign_id: 7002, name: 'B', is_enabled: true });
});

test.each(['nome\nx', 'servico_nome,servico_nome\na,b', 'servicos_id\n1', ''])('import rejects the header %j', async (file) => {
  expect((await importText(application(), await account(), 'servicos', file)).error).toMatch(/header/);
});

test('import prints 100 problems and counts the rest', async () => {
  const { printed, bad } = await importText(application(), await account(), 'servicos', `servico_nome\n${'\u0001\n'.repeat(150)}`);
  expect([bad, printed.length, printed[99], printed[100]]).toEqual([150, 101, expect.stringMatching(/^record 100: /), '… and 50 more.']);
});

test('an interruption during the check writes nothing', async () => {
  const { error } = await importText(application(), await account(), 'servicos', 'servico_nome\nA', { isInterrupted: () => true });
  expect(error).toBe('Interrupted during the check: nothing was imported.');
});

describe('an interruption during the write', () => {
  const COUNT = 5_000;
  const lines = (line: (index: number) => string) => Array.from({ length: COUNT }, (_, index) => `${line(index)}\n`);

  /** Interrupts an import when its first chunk is written. */
  async function interrupted(id: number, file: string): Promise<string> {
    let [checks, calls] = [0, 0];
    await importText(application(), id, 'horarios', file, { isDryRun: true, isInterrupted: () => ++checks < 0 });
    const { error } = await importText(application(), id, 'horarios', file, { isInterrupted: () => ++calls > checks + 1 });
    return error!;
  }

  const kept = async (id: number) => (await exportText(application(), id, 'horarios', 'csv')).trim().split('\n').slice(1);

  test('keeps as many records as it reports, and another import completes the file', async () => {
    const id = await account();
    const file = `horarios_id,horario_id\n${lines((index) => `${500_000 + index},${index}`).join('')}`;
    const refused = await interrupted(id, file);
    const count = (await kept(id)).length;
    expect(refused).toBe(`Interrupted. ${count} of ${COUNT} records were imported. Run the import again for the rest.`);
    expect([count > 0, count < COUNT]).toEqual([true, true]);
    expect(await importText(application(), id, 'horarios', file)).toMatchObject({ inserted: COUNT - count, updated: count, bad: 0 });
  });

  test('asks for no removal while only records with ids were written', async () => {
    let calls = 0;
    const file = 'horarios_id,horario_id\n600000,A\n,B\n';
    const { error } = await importText(application(), await account(), 'horarios', file, { isInterrupted: () => ++calls > 3 });
    expect(error).toBe('Interrupted. 1 of 2 records were imported. Run the import again for the rest.');
  });

  test('reports which records to remove from a file without ids', async () => {
    const id = await account();
    const records = lines(String);
    const refused = await interrupted(id, `horario_id\n${records.join('')}`);
    const [, count, last] = /^Interrupted\. (\d+) of 5000 records were imported: all up to record (\d+)\. Remove these from the file/
      .exec(refused)!
      .map(Number);
    expect([(await kept(id)).length, last]).toEqual([count, count]);
    await importText(application(), id, 'horarios', `horario_id\n${records.slice(count).join('')}`);
    const names = (await kept(id)).map((record) => record.split(',')[1]);
    expect([names.length, new Set(names).size]).toEqual([COUNT, COUNT]);
  });
});

test.each(['csv', 'ndjson', 'json'] as const)('bad records are written as %s that can be corrected and imported', async (format) => {
  const id = await account();
  const file = {
    csv: 'servico_nome;\nA\n"B;";c\n"C\r\nç";\n"\'\'+D""\u0001"\n',
    ndjson: '{"servico_nome":"A"}\n{"servico_nome":"B",}\r\n[]\n"ç"\n{"servico_nome":""}',
    json: '[{"servico_nome":"A"},\n[5],"ç", {"servico_nome":"",\n"x": [0.0]}\n]',
  }[format];
  const kept = {
    csv: 'servico_nome;\n"B;";c\n"C\r\nç";\n"\'\'+D""\u0001"\n',
    ndjson: '{"servico_nome":"B",}\n[]\n"ç"\n{"servico_nome":""}\n',
    json: '[\n[5],\n"ç",\n{"servico_nome":"","x":[0]}\n]\n',
  }[format];
  const { inserted, badRecords } = await importText(application(), id, 'servicos', file, { format, skipBad: true });
  expect([inserted, badRecords]).toEqual([1, kept]);
  expect(await importText(application(), id, 'servicos', badRecords!, { format, skipBad: true })).toMatchObject({ inserted: 0, badRecords: kept }); // prettier-ignore
});

test('import rejects CSV with a misplaced double quote, even when it skips bad records', async () => {
  const result = await importText(application(), await account(), 'servicos', 'servico_nome\nA\n"B"B\nC\n', { skipBad: true });
  expect(result.error).toBe('record 2 has a double quote in the middle of a cell.');
});

test('import sets last_datetime of an updated notification, and its new name is searchable', async () => {
  const { id, client } = await application().createAccount();
  const key = 'c'.repeat(32);
  await importText(application(), id, 'campaigns', 'campaign_id,name\n901,A');
  await importText(application(), id, 'notifications', `campaign_id,notification_key,name,type\n901,${key},Água,INFO`);
  const find = async (query: string) => {
    const { body } = await client.get(`/api/notifications?${new URLSearchParams(query).toString()}`).expect(200);
    return (body as { data: { name: string; last_datetime: string | null }[] }).data;
  };
  expect(await find('name=agua')).toEqual([expect.objectContaining({ name: 'Água', last_datetime: null })]);
  await importText(application(), id, 'notifications', `campaign_id,notification_key,name,type\n901,${key},Fogo,INFO`);
  expect(await find('name=agua')).toEqual([]);
  const [changed] = await find('name=FOGO');
  expect(changed.last_datetime).toMatch(/^\d{4}-\d\d-\d\d /);
  await importText(
    application(),
    id,
    'notifications',
    `campaign_id,notification_key,name,type,last_datetime\n901,${key},Terra,INFO,2020-01-01 00:00:00`,
  );
  expect(await find('name=terra')).toEqual([expect.objectContaining({ last_datetime: '2020-01-01 00:00:00' })]);
});
