import { CsvRecords, encodeCell, parseCells } from '../../../src/programs/transfer/csv';
import { formatOf, readLines, type SourceRecord } from '../../../src/programs/transfer/source';
import { readJsonArray, readNdjson } from '../../../src/programs/transfer/json';
import { schedulingColumns } from '../../../src/scheduling/collections/collection';
import { ServicosQuery } from '../../../src/scheduling/collections/collections.dto';

jest.mock('../../../src/programs/transfer/csv', () => {
  const actual = jest.requireActual<{ parseCells: typeof parseCells }>('../../../src/programs/transfer/csv');
  return { ...actual, parseCells: jest.fn(actual.parseCells) };
});

const SERVICOS = schedulingColumns(ServicosQuery.collection);

async function* inPieces(content: string | Buffer, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content);
  for (let start = 0; start < bytes.length; start += size) yield await Promise.resolve(bytes.subarray(start, start + size));
}

async function all(batches: AsyncIterable<SourceRecord[]>): Promise<SourceRecord[]> {
  const records: SourceRecord[] = [];
  for await (const batch of batches) records.push(...batch);
  return records;
}

const readers = {
  csv: (input: AsyncIterable<Buffer>) => new CsvRecords(SERVICOS).read(input),
  ndjson: readNdjson,
  json: readJsonArray,
};

test.each([
  ['a,b', ['a', 'b']],
  ['', ['']],
  [',', ['', '']],
  ['"a,b",c', ['a,b', 'c']],
  ['a,"b ""quoted"""', ['a', 'b "quoted"']],
  ['"",""', ['', '']],
  [' "a" ,b', ['a', 'b']],
  ['"a\nb",c', ['a\nb', 'c']],
  ['"a",', ['a', '']],
  [',"a"', ['', 'a']],
])('the CSV record %j has the cells %j', (text, cells) => expect(parseCells(text, ',')).toEqual({ cells }));

test.each(['"a', 'a,"b""', '"a,b'])('the CSV record %j continues on the next line', (text) =>
  expect(parseCells(text, ',')).toEqual({ open: true }),
);

test.each(['a"b,c', '"a"b,c', 'a,b"'])('the CSV record %j is rejected', (text) => expect(parseCells(text, ',')).toHaveProperty('problem'));

test.each(['plain', '', 'a,b', 'a;b', 'a\tb', '"', 'a\nb', ' a', '""'])('the cell %j survives encoding and parsing', (value) => {
  for (const delimiter of [',', ';', '\t'])
    expect(parseCells(['x', value, 'y'].map((cell) => encodeCell(cell)).join(delimiter), delimiter)).toEqual({ cells: ['x', value, 'y'] });
});

test.each([1, 2, 3, 10_000])('lines end as the first one does, in chunks of %i bytes', async (size) => {
  for (const [content, lines] of Object.entries({
    'a\rb\n\rc\r': ['a', 'b\n', 'c'],
    'a\r\nb\rc': ['a\r', 'b\rc'],
    'a\nb\rc\n': ['a', 'b\rc'],
    'a\r': ['a\r'],
  })) {
    const read: string[] = [];
    for await (const batch of readLines(inPieces(content, size))) read.push(...batch.map(({ text }) => text));
    expect(read).toEqual(lines);
  }
});

test('each character of an open quoted cell is parsed at most twice', async () => {
  const parsed = jest.mocked(parseCells);
  const lines = 1_000;
  const ends = { closed: 'b"', misplaced: 'b"c', unclosed: 'b' };
  for (const [name, end] of Object.entries(ends)) {
    parsed.mockClear();
    const content = `servico_nome\n"${'""\n'.repeat(lines)}${end}\n`;
    const [record] = await all(new CsvRecords(SERVICOS).read(inPieces(content, 64)));
    expect([name, record.values?.servico_nome]).toEqual([name, name === 'closed' ? `${'"\n'.repeat(lines)}b` : undefined]);
    expect(String(record.original)).toBe(content.slice('servico_nome\n'.length, -1));
    const characters = parsed.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
    expect(characters).toBeLessThanOrEqual(2 * content.length + lines); // a quote is added to each line
  }
});

const FILES = {
  csv: '\uFEFFservicos_id;servico_nome\r\n1;Coloração\r\n\r\n2;"a\nb;""c"""\n3\n4;x',
  ndjson:
    '\uFEFF{"servicos_id":1,"servico_nome":"Coloração"}\r\n\n{"servicos_id":2,"servico_nome":"a\\nb;\\"c\\""}\n{3\n{"servicos_id":4,"servico_nome":"x"}',
  json: '\uFEFF [{"servicos_id":1,"servico_nome":"Coloração"},\n\n{"servicos_id":2,\n"servico_nome":"a\\nb;\\"c\\""}, {"3" 4} ,{"servicos_id":4,"servico_nome":"x"}\n]\n',
};

describe.each(Object.keys(FILES) as (keyof typeof FILES)[])('%s', (format) => {
  test.each([1, 2, 3, 5, 64, 10_000])('is read the same in chunks of %i bytes', async (size) => {
    const records = await all(readers[format](inPieces(FILES[format], size)));
    expect(records.map(({ values }) => values?.servico_nome)).toEqual(['Coloração', 'a\nb;"c"', undefined, 'x'].slice(0, records.length));
    expect(records.map(({ line }) => line)).toEqual(
      { csv: [2, 4, 6, 7], ndjson: [1, 3, 4, 5], json: [1, 3, 4, 4] }[format].slice(0, records.length),
    );
  });

  test('invalid UTF-8 makes only its record bad, with its bytes kept', async () => {
    const lines = { csv: ['servico_nome', 'a', 'b\n', 'c'], ndjson: ['{"servico_nome":"a"}', '{"servico_nome":"b"}\n', '{"servico_nome":"c"}'], json: ['[{"servico_nome":"a"},', '{"servico_nome":"b"}', ',{"servico_nome":"c"}]'] }; // prettier-ignore
    const content = Buffer.from(lines[format].join('\n'), 'latin1');
    content[content.indexOf('b')] = 0xe7;
    const records = await all(readers[format](inPieces(content, 7)));
    const bad = records.filter(({ unreadable }) => unreadable?.startsWith(format === 'csv' ? 'is not UTF-8: save it as' : 'is not UTF-8'));
    expect(bad).toHaveLength(1);
    expect((bad[0].original as Buffer).includes(0xe7)).toBe(true);
  });

  test('an unterminated record is rejected before it fills memory', async () => {
    const begin = { csv: 'servico_nome\n"', ndjson: '{"', json: '[{"' }[format];
    const endless = `${begin}${'a\n'.repeat(format === 'ndjson' ? 0 : 600_000)}${'a'.repeat(1_200_000)}`;
    await expect(all(readers[format](inPieces(endless, 65_536)))).rejects.toThrow(/longer than 1048576 bytes/);
  });
});

const NEITHER = [
  '{"a":[{}]}',
  '{"data":{}}',
  '{"meta":{"data":[{}]}}',
  '{"data":[{}]',
  '{"data":[{}],"a":1',
  '{"data":[{}]}x',
  '{"data":[{}],a}',
];

test.each(['', ' ', '{}', '1', '[', '[{}', '[{"a":"]', '[{}]x', '[] []', ...NEITHER])('%j is not a JSON array', (content) =>
  expect(all(readJsonArray(inPieces(content, 2)))).rejects.toThrow(),
);

test.each([
  ['[]', 0],
  ['[ \n ]', 0],
  ['[{}]', 1],
  ['[{},{}]', 2],
  ['[{"a":[1,{"b":"],}"}]},{"c":"\\"]"}]', 2],
  ['{"data":[]}', 0],
  ['\n{ "meta": {"data": [1, "}"]},\n "data" : [{},{"a":"]}"}] , "links":{"data":[1]}, "data of others": [2] }\n', 2],
])('%j has %i records', async (content, count) => {
  const records = await all(readJsonArray(inPieces(content, 1)));
  expect(records).toHaveLength(count);
  for (const { unreadable } of records) expect(unreadable).toBeUndefined();
});

test('a list as the interface answers it is read as its array is, other keys ignored', async () => {
  const answer = '{"meta":\n{"total":1},\n\n"data":\n[{"a":1},\n{"3" 4}],"links":{"self":"https://example.com/?a=[{"}}';
  for (const size of [1, 7, 1_000]) {
    const records = await all(readJsonArray(inPieces(answer, size)));
    expect(records.map(({ line, values, unreadable }) => [line, values, unreadable])).toEqual([
      [5, { a: 1 }, undefined],
      [6, undefined, "can't be parsed as JSON"],
    ]);
  }
});

test.each([
  ['a.csv', 'csv'],
  ['a.CSV.gz', 'csv'],
  ['a.tsv', 'csv'],
  ['a.ndjson.gz', 'ndjson'],
  ['a.jsonl', 'ndjson'],
  ['a.json', 'json'],
  ['a.txt', undefined],
  ['csv', undefined],
  ['-', undefined],
])('the format of %s is %s', (file, format) => expect(formatOf(file)).toBe(format));
