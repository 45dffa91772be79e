// Runs on SQLite.
import { version } from '../../../package.json';
import { timestamp } from '../../../src/platform/common/time';
import { useApplication } from '../../support/application';
import { stopClock } from '../../support/clock';
import { type Outcome, runCommand, runProcess } from '../../support/command';
import { createDatabase, type TestDatabase } from '../../support/database';
import { DOMAINS, newHost } from '../../support/records';

const { application, database } = useApplication();
const KEY = /^fd_[0-9A-Za-z]{38}\n$/;

/** Runs a command on the test's database. */
function run(...argv: string[]): Promise<Outcome> {
  return runOn(database(), ...argv);
}

function runOn(on: TestDatabase, ...argv: string[]): Promise<Outcome> {
  return runCommand(on.env, argv);
}

async function runs(...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...argv);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
}

test('the built command line prints and exits with 0 or 1', async () => {
  const [created, refused] = await Promise.all([
    runProcess(database().env, 'accounts', 'create', 'by a process', '--json'),
    runProcess(database().env, 'keys', 'revoke', '999999'),
  ]);
  expect(created).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(created.stdout)).toMatchObject({ id: expect.any(Number) as number, name: 'by a process' });
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'frontdesk: There is no key with the id 999999. See: keys list\n',
  });
});

test('an account and a key are created, used, listed and revoked', async () => {
  const account = JSON.parse(await runs('accounts', 'create', 'acme', '--json')) as { id: number };
  expect(account).toMatchObject({ id: expect.any(Number) as number, name: 'acme' });
  expect(JSON.parse(await runs('accounts', 'list', '--json'))).toContainEqual(expect.objectContaining({ id: account.id, name: 'acme' }));

  const clock = stopClock();
  const in90Days = new Date(Date.now() + 90 * 86_400_000);
  const printed = await runs('keys', 'create', '--account', 'acme', '--name', 'website', '--scopes', 'domains:read', '--expires', '90d');
  expect(printed).toMatch(KEY);
  const client = application().client(printed.trim());
  await client.get(DOMAINS).expect(200);
  await client.post(DOMAINS, { host: newHost() }).expect(403);

  const created = JSON.parse(await runs('keys', 'create', '--account', 'acme', '--name', 'second', '--json')) as { key: string };
  expect(created).toMatchObject({ id: expect.any(Number) as number, name: 'second', account: 'acme' });
  await application().client(created.key).get(DOMAINS).expect(200);

  const [key] = JSON.parse(await runs('keys', 'list', '--account', 'acme', '--json')) as { id: number; name: string; expires: string }[];
  expect(key).toMatchObject({ name: 'website', account: 'acme', scopes: ['domains:read'], revoked: null });
  expect(key.expires).toBe(timestamp(in90Days));

  await runs('keys', 'revoke', String(key.id));
  clock.move(1_000); // a revoked key works for a second at most
  await client.get(DOMAINS).expect(401);
});

test('domains are disabled and enabled by ordinary updates', async () => {
  const { client } = await application().createAccount();
  const id = await client.create(DOMAINS, { host: newHost() });
  await runs('domains', 'disable', String(id));
  expect((await client.get(`${DOMAINS}/${id}`)).body).toMatchObject({
    data: { is_enabled: false, last_datetime: expect.any(String) as string },
  });
  await runs('domains', 'enable', String(id));
  expect((await client.get(`${DOMAINS}/${id}`)).body).toMatchObject({ data: { is_enabled: true } });
});

test('migrate leaves an up-to-date schema alone', async () => {
  const { code, stdout, stderr } = await run('migrate');
  expect([code, stdout, stderr]).toEqual([0, '', 'The schema is up to date.\n']);
});

test('migrate creates the schema', async () => {
  const empty = await createDatabase();
  expect(await runOn(empty, 'migrate')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Applied: InitialSchema\d+(, \w+)*\.\n$/) as string,
  });
  expect(await runOn(empty, 'migrate')).toMatchObject({ code: 0, stderr: 'The schema is up to date.\n' });
  await empty.drop();
});

test('a key with an unknown scope is refused, and the existing scopes are listed', async () => {
  expect(await run('accounts', 'create', 'scoped')).toMatchObject({ code: 0 });
  const { code, stderr } = await run('keys', 'create', '--account', 'scoped', '--scopes', 'domains:read,everything');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^frontdesk: There is no scope everything\. The scopes are [a-z:,-]*domains:read,[a-z:,-]*secrets:read\.\n$/);
});

test.each([
  [['accounts', 'create', ' '], /^error: .* 1 to 128 characters/],
  [['keys', 'create'], /^error: required option '--account <name>' not specified/],
  [['keys', 'create', '--account', 'nobody'], /^frontdesk: There is no account named "nobody"\./],
  [['keys', 'create', '--account', 'x', '--expires', '90'], /^error: .* such as 90d/],
  [['keys', 'revoke', '999999'], /^frontdesk: There is no key with the id 999999\./],
  [['keys', 'revoke', '1e3'], /^error: .* in digits/],
  [['domains', 'enable', '999999'], /^frontdesk: There is no domain with this id\./],
  [['nonsense'], /^error: unknown command 'nonsense'/],
])('%j exits with 1 and one line on standard error', async (argv, line) => {
  const { code, stdout, stderr } = await run(...argv);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(line);
  expect(stderr.trimEnd()).not.toContain('\n');
});

test('account names are unique', async () => {
  await runs('accounts', 'create', 'twice');
  expect(await run('accounts', 'create', 'twice')).toMatchObject({
    code: 1,
    stderr: 'frontdesk: There is already an account named "twice".\n',
  });
});

test('--version prints the package version', async () => {
  expect(await runs('--version')).toBe(`${version}\n`);
});

test.each([[[]], [['keys', 'create']], [['import']]])('%j --help prints usage', async (argv: string[]) =>
  expect(await runs(...argv, '--help')).toContain('Usage: frontdesk'),
);

test('audit lists every write', async () => {
  const name = 'audited';
  await runs('accounts', 'create', name);
  const key = (await runs('keys', 'create', '--account', name)).trim();
  await application().client(key).post(DOMAINS, { host: newHost() }).set('X-Request-Id', 'from-the-test').expect(201);
  const entries = JSON.parse(await runs('audit', '--account', name, '--json')) as Record<string, unknown>[];
  expect(entries.map((entry) => [entry.name, entry.account, entry.request_id])).toEqual([
    ['create account', name, null],
    ['create key', name, null],
    ['create domain', name, 'from-the-test'],
  ]);
  expect(entries[2].key).toBe(entries[1].record_id);
  expect(await runs('audit', '--account', name, '--limit', '1')).toMatch(/^id .*\n\d+ .*create domain.*\n$/);
  expect(JSON.parse(await runs('audit', '--since', '2999-01-01', '--json'))).toEqual([]);
  expect((await run('audit', '--since', 'yesterday')).code).toBe(1);
  expect((await run('audit', '--limit', '0')).code).toBe(1);
});
