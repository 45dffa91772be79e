// Runs on SQLite; in the whole run, on MySQL too.
import { useApplication } from '../../support/application';
import { exportText, importText } from '../../support/transfer';

const { application } = useApplication();

const NOT_UTF8 = 'is not UTF-8: save it as "CSV UTF-8" in Excel, or with the character set "Unicode (UTF-8)" in LibreOffice';

let account: number;

beforeEach(async () => (account = (await application().createAccount()).id));

async function imported(name: string, content: string | Buffer): Promise<Record<string, unknown>[]> {
  expect(await importText(application(), account, name, content)).toMatchObject({ printed: [], bad: 0 });
  return JSON.parse(await exportText(application(), account, name, 'json')) as Record<string, unknown>[];
}

const TIMES = [
  { horario_id: '09:00', horario_disponivel: true },
  { horario_id: '10:00', horario_disponivel: false },
];

test.each([
  ['a first line sep=;', 'sep=;\nhorario_id;horario_disponivel\n09:00;1\n10:00;0\n'],
  ['a BOM, a first line "sep=|" and CR LF', '\uFEFF"sep=|"\r\nhorario_id|horario_disponivel\r\n09:00|"1"\r\n10:00|0\r\n'],
  ['a first line sep=^, which is special in a character class', 'SEP=^\nhorario_id^horario_disponivel\n"09:00"^1\n10:00^0\n'],
  ['CR alone as line ends', 'horario_id,horario_disponivel\r09:00,"1"\r10:00,0\r'],
  ['CR alone as line ends, and none after the last line', 'horario_id,horario_disponivel\r09:00,1\r10:00,0'],
  ['nameless empty columns', ';horario_id;;horario_disponivel;;\n;09:00;;1;;\n; 10:00; ;0;;;\n'],
  ['nameless empty columns of tabs', '\thorario_id\t\thorario_disponivel\t\n\t09:00\t\t1\t\n\t10:00\t\t0\t\n'],
  ['no cells under nameless columns', 'horario_id;horario_disponivel;;\n09:00;1\n10:00;0;\n'],
  ['rows of empty cells', '\n;;\nhorario_id;horario_disponivel;\n;;\n09:00;1;\n"";" ";\n10:00;0;\n;;\n'],
  ['booleans of Excel', 'horario_id;horario_disponivel\n09:00;VERDADEIRO\n10:00;FALSO\n'],
])('a file with %s is imported', async (_, content) =>
  expect(await imported('horarios', content)).toEqual(TIMES.map((time) => expect.objectContaining(time) as unknown)),
);

test.each([
  ['one name', 'servico_nome\nCorte, barba\n"Corte; ""barba"""\nCorte cabelo; barba\n'],
  ['one name and sep=', 'sep=,\r\nservico_nome\r\n"Corte, barba"\r\n"Corte; ""barba"""\r\n"Corte cabelo; barba"\r\n'],
])('a line is one cell under a header with %s', async (_, content) => {
  const names = (await imported('servicos', content)).map(({ servico_nome }) => servico_nome);
  expect(names).toEqual(['Corte, barba', 'Corte; "barba"', 'Corte cabelo; barba']);
});

test('a value under a nameless column makes its line bad', async () => {
  const { printed } = await importText(
    application(),
    account,
    'horarios',
    'horario_id;;horario_disponivel\n09:00;;1\n10:00;x;1\n11:00;;1;y\n',
  );
  expect(printed).toEqual(['line 3: has a value in a column without a name.', 'line 4: has 4 cells; the header has 3.']);
});

test('bad records keep the separator that the first line names, and line numbers count it', async () => {
  const content = 'sep=|\r\nhorario_id|horario_disponivel\r\n09:00|S\r\n10:00|talvez\r\n';
  const result = await importText(application(), account, 'horarios', content, { skipBad: true });
  expect(result.badRecords).toBe('sep=|\nhorario_id|horario_disponivel\n10:00|talvez\n');
  expect(result.printed).toEqual([expect.stringMatching(/^line 4: /)]);
});

test('bad records of a file with CR alone have the lines of the file', async () => {
  const content = 'horario_id,horario_disponivel\r09:00,1\r10:00,talvez\r"11:00\r';
  const { printed, badRecords } = await importText(application(), account, 'horarios', content, { skipBad: true });
  expect(printed).toEqual([expect.stringMatching(/^line 3: /), 'line 4: has an unclosed double quote.']);
  expect(badRecords).toBe('horario_id,horario_disponivel\n10:00,talvez\n"11:00\n');
});

test.each([
  ['a line', 'servico_nome\nColora\u00e7\u00e3o\n', 'latin1', { printed: [`line 2: ${NOT_UTF8}.`], bad: 1 }],
  ['the header', 'servi\u00e7o\nCorte\n', 'latin1', { error: `The header line ${NOT_UTF8}.` }],
  ['UTF-16', '\uFEFFservico_nome\nCorte\n', 'utf16le', { error: `The header line ${NOT_UTF8}.` }],
] as const)('%s that is not UTF-8 is refused, and the message says how to save the file', async (_, text, encoding, outcome) =>
  expect(await importText(application(), account, 'servicos', Buffer.from(text, encoding))).toMatchObject(outcome),
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
