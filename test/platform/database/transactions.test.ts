// Runs on SQLite and MySQL.
import { type TestAccount, useApplication } from '../../support/application';
import { createTableOf, Entry, LedgerModule } from '../../support/ledger';
import { DOMAINS, HANDLERS, newHost } from '../../support/records';
import { sized } from '../../support/size';

const WRITES = sized(96, 2_400);
const CLIENTS = 8;

const { application } = useApplication({}, LedgerModule);
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
  await createTableOf(application(), Entry);
});

const PATHS = ['/ledger/save', '/ledger/insert', '/ledger/transaction', '/ledger/query-runner'];
const ROLLED_BACK = PATHS.slice(2);

/** Alternates between an extender's routes and ours; every third transaction of the extender's fails after it has written. */
function write(index: number): { path: string; fields: Record<string, string>; text: string; rows: number } {
  const text = `write-${index}`;
  const path = [...PATHS, ...ROLLED_BACK, DOMAINS, HANDLERS][index % 8];
  if (path === DOMAINS) return { path, fields: { host: `${text}.${newHost()}` }, text, rows: 1 };
  if (path === HANDLERS) return { path, fields: { name: text, type: 'email' }, text, rows: 1 };
  const isTransaction = ROLLED_BACK.includes(path);
  const isRefused = isTransaction && index % 3 === 0;
  return { path, fields: { text, refused: isRefused ? '1' : '0' }, text, rows: isRefused ? 0 : isTransaction ? 2 : 1 };
}

test('a concurrent rollback undoes its own writes and no others', async () => {
  const writes = Array.from({ length: WRITES }, (_, index) => write(index));
  const answers = new Map<string, number>();
  const left = writes.values();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const { path, fields, text } of left) answers.set(text, (await account.client.post(path, fields)).status);
    }),
  );
  const expected = writes.map(({ text, rows }) => ({ text, status: rows === 0 ? 404 : 201 }));
  const answered = writes.map(({ text }) => ({ text, status: answers.get(text) }));
  expect(answered.filter(({ status }, index) => status !== expected[index].status)).toEqual([]);

  const found = new Map<string, number>();
  const texts = await Promise.all(
    [
      ['ledger', 'text'],
      ['notification_handlers', 'name'],
      ['domains', 'host'],
    ].map(async ([table, column]) => (await application().rows(table)).map((row) => String(row[column]).split('.')[0])),
  );
  for (const text of texts.flat()) found.set(text, (found.get(text) ?? 0) + 1);
  expect(writes.filter(({ text, rows }) => (found.get(text) ?? 0) !== rows)).toEqual([]);
});

test('a query runner released in its transaction rolls back only its own writes', async () => {
  const writes = Array.from({ length: 40 }, (_, index) => ({ path: PATHS[index % 4], text: `beside-${index}` }));
  await Promise.all([
    ...Array.from({ length: 20 }, (_, index) => account.client.post('/ledger/unfinished', { text: `unfinished-${index}`, refused: '0' })),
    ...writes.map(({ path, text }) => account.client.post(path, { text, refused: '0' }).expect(201)),
  ]);
  await account.client.post('/ledger/transaction', { text: 'after', refused: '0' }).expect(201);
  const texts = (await application().rows('ledger')).map(({ text }) => String(text));
  expect(texts.filter((text) => text.startsWith('unfinished-'))).toEqual([]);
  expect(new Set(texts.filter((text) => text.startsWith('beside-'))).size).toBe(writes.length);
});
