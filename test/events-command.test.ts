import { type TestAccount, useApplication } from './support/application';
import { runCommand } from './support/command';
import { DOMAINS, HANDLERS, newHost } from './support/records';

const { application, database } = useApplication();
let account: TestAccount;
let name: string;

beforeEach(async () => {
  account = await application().createAccount();
  const [row] = await application().dataSource.query<[{ name: string }]>('SELECT name FROM accounts WHERE id = ?', [account.id]);
  ({ name } = row);
});

async function list(...options: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout } = await runCommand(database().env, ['events', 'list', '--account', name, '--json', ...options]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>[];
}

test('lists the newest events, oldest first', async () => {
  const ids: number[] = [];
  for (let count = 0; count < 3; count++) ids.push(await account.client.create(DOMAINS, { host: newHost() }));
  await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
  const by = `key ${account.keyId}`;
  expect((await list('--types', 'domain.*')).map((row) => [row.type, row.record, row.by, row.account])).toEqual(
    ids.map((id) => ['domain.created', id, by, name]),
  );
  expect((await list('--limit', '2')).map(({ type }) => type)).toEqual(['domain.created', 'notification_handler.created']);
  const table = await runCommand(database().env, ['events', 'list']);
  expect(table.stdout.split('\n')[0]).toMatch(/^id +datetime +account +type +record +by +data$/);
});

test('refuses types that no area has', async () => {
  const refused = await runCommand(database().env, ['events', 'list', '--types', 'domain.gone']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/domain\.created.*notification_handler\.updated/)]);
});

test('a reset begins a new epoch, and is audited', async () => {
  await account.client.create(DOMAINS, { host: newHost() });
  expect(await runCommand(database().env, ['events', 'reset'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('have expired') as string,
  });
  await account.client.create(DOMAINS, { host: newHost() });
  const [before, after] = (await list()).map(({ id }) => String(id).split('_')[1]);
  expect(after).not.toBe(before);
  expect((await application().audited()).map(({ action, record }) => `${String(action)} ${String(record)}`)).toContain('reset events');
});
