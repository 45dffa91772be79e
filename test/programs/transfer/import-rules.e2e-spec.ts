/** @mysql whole */
import { randomBytes } from 'node:crypto';
import { useApplication } from '../../support/http/application';
import { exportText, type Imported, importText } from '../../support/areas/transfer';

const { application } = useApplication();

type Row = Record<string, unknown>;

/** Accepted values and how they are stored, rejected values, and the default. */
interface Rule {
  accepts: [given: unknown, kept: unknown][];
  refuses: unknown[];
  fallback?: unknown;
}

const NOTHING = ['', ' ', null, undefined];
const OF_OTHER = 9_001;
const NO_IDS = [0, -1, 1.5, '8001.5', '8001.', '0.0', '1e3', 'x', 2 ** 31, true, [1], {}];
const SOME_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as unknown;

function newKey(): string {
  return randomBytes(16).toString('hex');
}

function text(most: number): Rule {
  const longest = ['a', '👍'].map((character): [string, string] => [character.repeat(most), character.repeat(most)]);
  return {
    accepts: [[' João  "d\'Águas", 50 % ', 'João  "d\'Águas", 50 %'], ['0', '0'], ...longest],
    refuses: ['a'.repeat(most + 1), '👍'.repeat(most + 1), 'a\nb', 'a\0b', '\ud800', 5, true, ['a'], {}],
  };
}

/** A JSON object with so many levels. */
function nested(levels: number): string {
  return `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
}

function time(fallback?: unknown): Rule {
  const times = ['2026-11-21 14:30:00', '2024-02-29 00:00:00', '2000-02-29 23:59:59'];
  const spelled = ['2026-11-21T14:30:00', '2026-11-21 14:30', '2026-11-21T14:30'].map((at): [string, string] => [at, times[0]]);
  const off = ['2026-02-29', '2100-02-29', '2026-04-31', '2026-13-01', '2026-00-10'].map((day) => `${day} 10:00:00`);
  const clocks = ['2026-11-21 24:00:00', '2026-11-21 10:60:00', '2026-11-21 24:00', '2026-02-29 10:00'];
  const unclear = ['2026-11-21', '21/11/2026 10:00:00', '2026-11-21T10:00:00Z', 1_795_000_000];
  return { accepts: [...times.map((at): [string, string] => [at, at]), ...spelled], refuses: [...off, ...clocks, ...unclear], fallback };
}

const NO = [false, 0, ...'0|0.0|false|FALSE|False|FALSO|falso|Não|NÃO|Na\u0303o|NA\u0303O|Nao|nao|N|n'.split('|')];
const YES = [true, 1, ...'1|1.0|true|TRUE|True|VERDADEIRO|Verdadeiro|Sim|SIM|sim|S|s'.split('|')];
const FLAG: Rule = {
  accepts: [NO, YES].flatMap((spellings, index) => spellings.map((given): [unknown, boolean] => [given, index === 1])),
  refuses: ['talvez', 'Não é', '2', '1.5', 2, [], {}],
  fallback: true,
};

/** Record 8001 of another collection; 9001 is another account's, 9999 doesn't exist. */
const REFERENCE: Rule = {
  accepts: [8_001, '8001', ' 08001 ', '8001.0', '8001.00'].map((given) => [given, 8_001]),
  refuses: [OF_OTHER, 9_999, ...NO_IDS],
};

const COLLECTIONS: Record<string, { id: string; columns: Record<string, Rule> }> = {
  campaigns: { id: 'campaign_id', columns: { name: text(128), is_enabled: FLAG, datetime: time(SOME_TIME) } },
  servicos: { id: 'servicos_id', columns: { servico_nome: text(128) } },
  atendentes: {
    id: 'atendentes_id',
    columns: { atendente_nome: text(128), atendente_cargo: text(128), atendente_diponivel: FLAG },
  },
  horarios: { id: 'horarios_id', columns: { horario_id: text(64), horario_disponivel: FLAG } },
  atendenteservico: { id: 'atendenteservico_id', columns: { atendentes_id: REFERENCE, servicos_id: REFERENCE } },
  agendamentos: {
    id: 'agendamento_id',
    columns: { nome: text(128), telefone: text(32), data_hora: time(), servicos_id: REFERENCE, atendentes_id: REFERENCE },
  },
  notifications: {
    id: 'id',
    columns: {
      campaign_id: REFERENCE,
      notification_key: {
        accepts: [newKey(), newKey()].map((key) => [key, key]),
        refuses: ['a'.repeat(31), 'A'.repeat(32), 'g'.repeat(32), 1],
      },
      name: text(128),
      type: {
        accepts: ['INFO_2', 'A', 'Z'.repeat(64)].map((code) => [code, code]),
        refuses: ['info', '1A', '_A', 'A B', 'A'.repeat(65), 1],
      },
      settings: {
        accepts: [[{ a: { b: [1, null, 'ç'] } }, { a: { b: [1, null, 'ç'] } }], ['{"a":1}', { a: 1 }], [{}, {}], [nested(100), JSON.parse(nested(100))]], // prettier-ignore
        refuses: [[], '[1]', '{', 'x', 5, true, { a: 'a'.repeat(61_440) }, nested(101), nested(30_000)],
        fallback: {},
      },
      is_enabled: FLAG,
      last_datetime: time(null),
      datetime: time(SOME_TIME),
    },
  },
};

let [mine, other] = [0, 0];

function load(name: string, rows: Row[], account = mine): Promise<Imported> {
  return importText(application(), account, name, rows.map((row) => JSON.stringify(row)).join('\n'), { format: 'ndjson' });
}

async function kept(name: string, account = mine): Promise<Row[]> {
  return JSON.parse(await exportText(application(), account, name, 'json')) as Row[];
}

beforeAll(async () => {
  [mine, other] = [(await application().createAccount()).id, (await application().createAccount()).id];
  for (const [account, id] of [
    [mine, 8_001],
    [other, OF_OTHER],
  ]) {
    // prettier-ignore
    for (const name of Object.keys(COLLECTIONS)) {
      const own = Object.entries(good(name)).map(([column, value]) => [column, value === 8_001 ? id : value]);
      expect(await load(name, [{ ...Object.fromEntries(own), [COLLECTIONS[name].id]: id }], account)).toMatchObject({ printed: [], inserted: 1 });
    }
  }
});

/** A valid record with every column. */
function good(name: string): Row {
  const given = Object.entries(COLLECTIONS[name].columns).map(([column, { accepts }]) => [column, accepts[0][0]]);
  return { ...Object.fromEntries(given), ...(name === 'notifications' && { notification_key: newKey() }) };
}

function without(row: Row, column: string): Row {
  return { ...row, [column]: undefined };
}

describe.each(Object.entries(COLLECTIONS))('importing %s', (name, { id, columns }) => {
  const rules = Object.entries(columns);
  const optional = rules.filter(([, { fallback }]) => fallback !== undefined);
  const required = rules.filter(([, { fallback }]) => fallback === undefined);

  test('accepted values are stored', async () => {
    const cases = [
      [id, '08500', 8_500] as const,
      [id, '8501.0', 8_501] as const,
      ...rules.flatMap(([column, { accepts }]) => accepts.map((accepted) => [column, ...accepted] as const)),
    ];
    const before = (await kept(name)).length;
    expect(await load(name, cases.map(([column, given]) => ({ ...good(name), [column]: given })))).toMatchObject({ printed: [], inserted: cases.length }); // prettier-ignore
    const rows = (await kept(name)).slice(before);
    expect(rows.map((row, index) => row[cases[index][0]])).toEqual(cases.map(([, , value]) => value));
  });

  test('invalid values are reported by record and column, and nothing is written', async () => {
    const before = await kept(name);
    const cases = rules.flatMap(([column, { refuses }]) => refuses.map((given) => [column, given] as const));
    const all = [...[OF_OTHER, ...NO_IDS].map((given) => [id, given] as const), ...cases];
    const { printed, bad } = await load(name, [good(name), ...all.map(([column, given]) => ({ ...good(name), [column]: given }))]);
    expect(bad).toBe(all.length);
    expect(printed).toEqual(
      all.map(([column], index) => expect.stringMatching(`^record ${index + 2}: ${column} (must be|is taken)`) as unknown),
    );
    expect(await kept(name)).toEqual(before);
  });

  test('only required columns are required', async () => {
    const lacking = required.flatMap(([column]) => NOTHING.map((nothing) => ({ ...good(name), [column]: nothing })));
    const { printed, bad } = await load(name, [...lacking]);
    expect([bad, printed]).toEqual([lacking.length, required.flatMap(([column], index) => NOTHING.map((_, at) => `record ${4 * index + at + 1}: ${column} is required.`))]); // prettier-ignore
    const before = (await kept(name)).length;
    const rows = optional.flatMap(([column]) => NOTHING.map((nothing) => ({ ...good(name), [column]: nothing })));
    expect((await load(name, rows)).printed).toEqual([]);
    const found = (await kept(name)).slice(before).map((row, index) => row[optional[Math.floor(index / 4)][0]]);
    expect(found).toEqual(optional.flatMap(([, { fallback }]) => NOTHING.map(() => fallback)));
  });

  test('a record is updated by its id, except for absent columns', async () => {
    const before = (await kept(name)).find((row) => row[id] === 8_001)!;
    const given = Object.fromEntries(required.map(([column, { accepts }]) => [column, accepts.at(-1)![0]]));
    if (name === 'notifications') given.notification_key = newKey();
    expect(await load(name, [{ ...given, [id]: 8_001 }])).toMatchObject({ printed: [], inserted: 0, updated: 1 });
    const now = required.map(([column, { accepts }]) => [column, column === 'notification_key' ? given[column] : accepts.at(-1)![1]]);
    const moved = 'last_datetime' in columns && { last_datetime: expect.stringMatching(/^\d{4}-/) as string };
    expect((await kept(name)).find((row) => row[id] === 8_001)).toMatchObject({ ...own(before), ...moved, ...Object.fromEntries(now) });
  });

  /** Without the fields of a relation. */
  function own(row: Row): Row {
    return Object.fromEntries(Object.keys(columns).map((column) => [column, row[column]]));
  }

  test('duplicates and unknown columns are rejected', async () => {
    const row = { ...good(name), [id]: 8_600 };
    const { printed } = await load(name, [row, { ...row, ...(name === 'notifications' && { notification_key: newKey() }) }, { ...good(name), 'x\u001b': 1 }]); // prettier-ignore
    expect(printed).toEqual([
      `record 2: ${id} appears in the file more than once.`,
      expect.stringMatching(/^record 3: "x.*" is unknown; accepted: /),
    ]);
    expect(printed[1]).not.toContain('\u001b');
  });
});

test('a notification without an id is identified by its key', async () => {
  const row = good('notifications');
  expect(await load('notifications', [row])).toMatchObject({ inserted: 1 });
  expect(await load('notifications', [{ ...row, name: 'B' }])).toMatchObject({ inserted: 0, updated: 1 });
  expect(await load('notifications', [without(row, 'settings'), row])).toMatchObject({
    printed: ['record 2: notification_key appears in the file more than once.'],
  });
  expect((await load('notifications', [{ ...row, id: 8_001 }])).printed).toEqual([
    'record 1: notification_key is taken by another record.',
  ]);
  expect((await load('notifications', [{ ...row, campaign_id: OF_OTHER }], other)).printed).toEqual([
    'record 1: notification_key is taken by another record.',
  ]);
});

test('settings with too many levels in a JSON file are rejected', async () => {
  const line = JSON.stringify({ ...good('notifications'), settings: 0 }).replace('"settings":0', `"settings":${nested(30_000)}`);
  const { printed } = await importText(application(), mine, 'notifications', line, { format: 'ndjson' });
  expect(printed).toEqual(['record 1: settings must be a JSON object of at most 61440 bytes and 100 levels.']);
});

test('the fields of a related record are ignored', async () => {
  const row = { ...good('agendamentos'), agendamento_id: 8_700, servico_nome: 5, atendente_nome: 'Ninguém' };
  expect((await load('agendamentos', [row])).printed).toEqual([]);
  const [servico] = (await kept('servicos')).filter(({ servicos_id }) => servicos_id === 8_001);
  expect((await kept('agendamentos')).find(({ agendamento_id }) => agendamento_id === 8_700)).toMatchObject(servico);
});

describe('a spreadsheet’s CSV', () => {
  const NOT_UTF8 = 'The file is not UTF-8: save it as "CSV UTF-8" in Excel, or with the character set "Unicode (UTF-8)" in LibreOffice.';

  let account: number;

  beforeEach(async () => {
    account = (await application().createAccount()).id;
  });

  async function imported(name: string, content: string | Buffer): Promise<Record<string, unknown>[]> {
    expect(await importText(application(), account, name, content)).toMatchObject({ printed: [], bad: 0 });
    return JSON.parse(await exportText(application(), account, name, 'json')) as Record<string, unknown>[];
  }

  const TIMES = [
    { horario_id: '09:00', horario_disponivel: true },
    { horario_id: '10:00', horario_disponivel: false },
  ];

  test.each([
    ['the first line sep=;', 'sep=;\nhorario_id;horario_disponivel\n09:00;1\n10:00;0\n'],
    ['a BOM, the first line "sep=|" and CR LF', '\uFEFF"sep=|"\r\nhorario_id|horario_disponivel\r\n09:00|"1"\r\n10:00|0\r\n'],
    ['the first line sep=^, a special character in regular expressions', 'SEP=^\nhorario_id^horario_disponivel\n"09:00"^1\n10:00^0\n'],
    ['CR alone as line ends', 'horario_id,horario_disponivel\r09:00,"1"\r10:00,0\r'],
    ['CR alone as line ends, and none after the last line', 'horario_id,horario_disponivel\r09:00,1\r10:00,0'],
    ['unnamed empty columns', ';horario_id;;horario_disponivel;;\n;09:00;;1;;\n; 10:00; ;0;;;\n'],
    ['unnamed empty columns and tabs', '\thorario_id\t\thorario_disponivel\t\n\t09:00\t\t1\t\n\t10:00\t\t0\t\n'],
    ['no cells in unnamed columns', 'horario_id;horario_disponivel;;\n09:00;1\n10:00;0;\n'],
    ['empty rows', '\n;;\nhorario_id;horario_disponivel;\n;;\n09:00;1;\n"";" ";\n10:00;0;\n;;\n'],
    ['the booleans of Excel', 'horario_id;horario_disponivel\n09:00;VERDADEIRO\n10:00;FALSO\n'],
  ])('a file with %s is imported', async (_, content) =>
    expect(await imported('horarios', content)).toEqual(TIMES.map((time) => expect.objectContaining(time) as unknown)),
  );

  test.each([
    ['one name', 'servico_nome\nCorte, barba\n"Corte; ""barba"""\nCorte cabelo; barba\n'],
    ['one name and sep=', 'sep=,\r\nservico_nome\r\n"Corte, barba"\r\n"Corte; ""barba"""\r\n"Corte cabelo; barba"\r\n'],
  ])('each line is one cell below a header with %s', async (_, content) => {
    const names = (await imported('servicos', content)).map(({ servico_nome }) => servico_nome);
    expect(names).toEqual(['Corte, barba', 'Corte; "barba"', 'Corte cabelo; barba']);
  });

  test('a value in an unnamed column makes its record bad', async () => {
    const { printed } = await importText(
      application(),
      account,
      'horarios',
      'horario_id;;horario_disponivel\n09:00;;1\n10:00;x;1\n11:00;;1;y\n',
    );
    expect(printed).toEqual(['record 2: has a value in a column without a name.', 'record 3: has 4 cells; the header has 3.']);
  });

  test('bad records keep the separator that the first line names', async () => {
    const content = 'sep=|\r\nhorario_id|horario_disponivel\r\n09:00|S\r\n"10|00"|talvez\r\n';
    const result = await importText(application(), account, 'horarios', content, { skipBad: true });
    expect(result.badRecords).toBe('sep=|\nhorario_id|horario_disponivel\n"10|00"|talvez\n');
    expect(result.printed).toEqual([expect.stringMatching(/^record 2: /)]);
  });

  test.each([
    ['a line', 'servico_nome\nColora\u00e7\u00e3o\n', 'latin1'],
    ['the header', 'servi\u00e7o\nCorte\n', 'latin1'],
    ['the last character', 'servico_nome\nCort\u00e9', 'latin1'],
    ['UTF-16', '\uFEFFservico_nome\nCorte\n', 'utf16le'],
  ] as const)(
    '%s that is not UTF-8 is rejected with advice on how to save the file',
    async (_, text, encoding) =>
    expect(await importText(application(), account, 'servicos', Buffer.from(text, encoding), { skipBad: true })).toMatchObject({ error: NOT_UTF8 }), // prettier-ignore
  );

  const FORMULAS = ['=1+1', '+55 11', '-1', '@A1', "'=1", "''+1", "'", "'a", '"=1"', 'a=1', '1;2', 'Água'];

  test('export --excel writes a BOM, semicolons, CR LF and no formula, and import reads it back', async () => {
    const before = await imported(
      'servicos',
      `servico_nome\n${FORMULAS.map((name) => `"${name.replace(/^(?='+[=+@-])/, "'").replaceAll('"', '""')}"`).join('\n')}`,
    );
    expect(before.map(({ servico_nome }) => servico_nome)).toEqual(FORMULAS);
    for (const isForExcel of [true, false]) {
      const content = await exportText(application(), account, 'servicos', 'csv', isForExcel);
      if (isForExcel) {
        const lines = content.split('\r\n');
        expect(lines[0]).toBe('\uFEFFservicos_id;servico_nome');
        const cells = ["'=1+1", "'+55 11", "'-1", "'@A1", "''=1", "'''+1", "'", "'a", '"""=1"""', 'a=1', '"1;2"', 'Água', undefined];
        expect(lines.slice(1).map((line) => line.split(/;(.*)/)[1])).toEqual(cells);
        expect(content.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      }
      const { inserted, updated } = await importText(application(), account, 'servicos', content);
      expect([inserted, updated]).toEqual([0, FORMULAS.length]);
      expect(JSON.parse(await exportText(application(), account, 'servicos', 'json'))).toEqual(before);
    }
  });
});
