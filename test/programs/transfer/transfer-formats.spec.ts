import { encodeCell, readCsv } from '../../../src/programs/transfer/csv';
import { TransferError, formatOf, type SourceRecord } from '../../../src/programs/transfer/source';
import { readJsonArray, readNdjson } from '../../../src/programs/transfer/json';
import { schedulingColumns } from '../../../src/scheduling/collections/collection';
import { COLLECTIONS } from '../../../src/scheduling/collections/collections';

const columnsOf = (name: string) => schedulingColumns(COLLECTIONS.find((collection) => collection.name === name)!);
const [SERVICOS, ATENDENTES] = [columnsOf('servicos'), columnsOf('atendentes')];

async function* inPieces(content: string, size: number): AsyncGenerator<string> {
  for (let start = 0; start < content.length; start += size) yield await Promise.resolve(content.slice(start, start + size));
}

async function all(source: AsyncIterable<SourceRecord>): Promise<SourceRecord[]> {
  const records: SourceRecord[] = [];
  for await (const record of source) records.push(record);
  return records;
}

const readers = {
  csv: (content: string, size: number) => readCsv(() => inPieces(content, size), SERVICOS),
  ndjson: (content: string, size: number) => readNdjson(inPieces(content, size)),
  json: (content: string, size: number) => readJsonArray(inPieces(content, size)),
};

/** The cells of a record below a header with two names. */
async function cellsOf(record: string, delimiter = ','): Promise<unknown[]> {
  const content = `atendente_nome${delimiter}atendente_cargo\n${record}\n`;
  return (await all(readCsv(() => inPieces(content, 7), ATENDENTES))).map(({ values }) => Object.values(values!));
}

test.each([
  ['a,b', ['a', 'b']],
  ['"a,b",c', ['a,b', 'c']],
  ['a,"b ""quoted"""', ['a', 'b "quoted"']],
  [' "a" ,b', ['a', 'b']],
  ['"a\nb",c', ['a\nb', 'c']],
  ['"a",', ['a', '']],
  [',"a"', ['', 'a']],
])('the CSV record %j has the cells %j', async (text, cells) => expect(await cellsOf(text)).toEqual([cells]));

test.each([
  ['"a', 'record 1 has an unclosed double quote.'],
  ['a,b\na,"b""', 'record 2 has an unclosed double quote.'],
  ...['a"b,c', '"a"b,c', 'a,b"'].map((record) => [record, 'record 1 has a double quote in the middle of a cell.']),
])('the CSV record %j is rejected', (text, problem) => expect(cellsOf(text)).rejects.toThrow(problem));

test.each(['plain', '', 'a,b', 'a;b', 'a\tb', '"', 'a\nb', '""'])('the CSV cell %j survives encoding and parsing', async (value) => {
  for (const delimiter of [',', ';', '\t'])
    expect(await cellsOf(['x', value].map((cell) => encodeCell(cell)).join(delimiter), delimiter)).toEqual([['x', value]]);
});

const FILES = {
  csv: 'servicos_id;servico_nome\r\n1;Coloração\r\n\r\n2;"a\nb;""c"""\n3\r4;x',
  ndjson:
    '{"servicos_id":1,"servico_nome":"Coloração"}\r\n\n{"servicos_id":2,"servico_nome":"a\\nb;\\"c\\""}\n{3\r{"servicos_id":4,"servico_nome":"x"}',
  json: ' [{"servicos_id":1,"servico_nome":"Coloração"},\n\n{"servicos_id":2,\n"servico_nome":"a\\nb;\\"c\\""}, 3 ,{"servicos_id":4,"servico_nome":"x"}\n]\n',
};

describe.each(Object.keys(FILES) as (keyof typeof FILES)[])('%s', (format) => {
  test.each([1, 2, 3, 5, 64, 10_000])('is parsed the same in chunks of %i characters', async (size) => {
    const records = await all(readers[format](FILES[format], size));
    expect(records.map(({ values }) => values?.servico_nome)).toEqual(['Coloração', 'a\nb;"c"', undefined, 'x']);
    expect(records.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  test('an unterminated record is rejected before it fills the memory', async () => {
    const start = { csv: 'servico_nome\n"', ndjson: '{"', json: '[{"' }[format];
    const endless = `${start}${'a\n'.repeat(format === 'csv' ? 600_000 : 0)}${'a'.repeat(1_200_000)}`;
    let read = 0;
    async function* counted(size: number) {
      for await (const text of inPieces(endless + 'a'.repeat(10_000_000), size)) {
        read += text.length;
        yield text;
      }
    }
    const reader = { csv: () => readCsv(() => counted(65_536), SERVICOS), ndjson: () => readNdjson(counted(65_536)), json: () => readJsonArray(counted(65_536)) }[format]; // prettier-ignore
    await expect(all(reader())).rejects.toThrow(/^record 1 is longer than 1048576 bytes/);
    expect(read).toBeLessThan(2_000_000);
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
  '[{"3" 4}]',
];

test.each(['', ' ', '{}', '1', '[', '[{}', '[{"a":"]', '[{}]x', '[] []', ...NEITHER])('%j is not a JSON array', (content) =>
  expect(all(readJsonArray(inPieces(content, 2)))).rejects.toThrow(TransferError),
);

test.each([
  ['[]', 0],
  ['[ \n ]', 0],
  ['[{}]', 1],
  ['[{},{}]', 2],
  ['[{"a":[1,{"b":"],}"}]},{"c":"\\"]"}]', 2],
  ['{"data":[]}', 0],
  ['\n{ "meta": {"data": [1, "}"]},\n "data" : [{},{"a":"]}"}] , "links":{"data":[1]}, "data of others": [2] }\n', 2],
])('the JSON %j has %i records', async (content, count) => {
  const records = await all(readJsonArray(inPieces(content, 1)));
  expect(records).toHaveLength(count);
  for (const { unreadable } of records) expect(unreadable).toBeUndefined();
});

test('a list response of the API is read as its data, and other keys are ignored', async () => {
  const answer = '{"meta":\n{"total":1},\n\n"data":\n[{"a":1},\n{"a":2}],"links":{"self":"https://example.com/?a=[{"}}';
  for (const size of [1, 7, 1_000]) {
    expect((await all(readJsonArray(inPieces(answer, size)))).map(({ values }) => values)).toEqual([{ a: 1 }, { a: 2 }]);
  }
});

test('a malformed JSON file is rejected', () =>
  expect(all(readJsonArray(inPieces('[{"a":1},{"a":2},{"3" 4},{}]', 1)))).rejects.toThrow(
    "The JSON can't be parsed, somewhere after record 2: it is malformed or cut off.",
  ));

test('a JSON record with too many levels for the file of bad records is rejected', async () => {
  const [, record] = await all(readJsonArray(inPieces(`[{},${'['.repeat(30_000)}${']'.repeat(30_000)}]`, 65_536)));
  expect(record.encode).toThrow('record 2 has more than 1000 levels.');
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

test('a JSON array is read no faster than its records are consumed', async () => {
  const record = { servico_nome: 'x'.repeat(200) };
  const text = JSON.stringify(Array.from({ length: 20_000 }, () => record));
  let read = 0;
  async function* counted() {
    for await (const chunk of inPieces(text, 64 * 1_024)) {
      read += chunk.length;
      yield chunk;
    }
  }
  let count = 0;
  for await (const { values } of readJsonArray(counted())) {
    if (++count % 1_000 === 0) {
      for (let cycle = 0; cycle < 20; cycle++) await new Promise(setImmediate);
      expect(read / text.length).toBeLessThan(count / 20_000 + 0.2);
    }
    expect(values).toEqual(record);
  }
  expect(count).toBe(20_000);
});
