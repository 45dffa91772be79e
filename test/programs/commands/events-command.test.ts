// Runs on SQLite; in the whole run, on MySQL too.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestAccount, useApplication } from '../../support/application';
import { CLI_SCRIPT } from '../../support/build';
import { until } from '../../support/clock';
import { runCommand } from '../../support/command';
import { DOMAINS, HANDLERS, newHost } from '../../support/records';

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

test('follows the log until interrupted, and says so if it skips events', async () => {
  await account.client.create(DOMAINS, { host: newHost() });
  const child = spawn(process.execPath, [CLI_SCRIPT, 'events', 'list', '--account', name, '--follow', '--json'], {
    env: { ...database().env },
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => (output[stream] += text));
  try {
    await until(() => output.stdout.includes('"domain.created"'));
    await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
    await until(() => output.stdout.includes('"notification_handler.created"'));
    expect(output.stderr).toBe('');
    const row = "('2026-01-01 00:00:00', ?, 'create', 'domain')";
    const sql = `INSERT INTO audit (datetime, account_id, action, record) VALUES ${Array<string>(10_001).fill(row).join()}`;
    await application().dataSource.query(sql, Array(10_001).fill(account.id));
    await until(() => output.stderr.includes('More than 10,000 events at once'));
  } finally {
    child.kill('SIGINT');
  }
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(output.stdout.trim().split('\n')).toHaveLength(10_002);
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
