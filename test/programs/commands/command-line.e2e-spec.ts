/** @mysql whole */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { version } from '../../../package.json';
import { timestamp } from '../../../src/platform/common/time';
import { type TestAccount, useApplication } from '../../support/http/application';
import { stopClock, until } from '../../support/jest/clock';
import { CLOSED, FULL, type Outcome, runCommand, runProcess, runRedirected } from '../../support/areas/command';
import { createDatabase } from '../../support/servers/database';
import { freePort } from '../../support/servers/free-port.cjs';
import { DOMAINS, HANDLERS, newHost } from '../../support/areas/records';
import { longTestOnce } from '../../support/jest/size';

const { application, database } = useApplication();
const KEY = /^fd_[0-9A-Za-z]{38}\n$/;

/** Runs a command on the test's database. */
const run = (...argv: string[]): Promise<Outcome> => runCommand(database().env, argv);

async function runs(...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...argv);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
}

const json = async <T>(...argv: string[]): Promise<T> => JSON.parse(await runs(...argv, '--json')) as T;

test('the built command exits with 0 or 1', async () => {
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

longTestOnce.each([CLOSED, FULL])('keys create %s revokes a key that it could not print', async (redirection) => {
  await run('accounts', 'create', 'unread');
  const { code, stderr } = await runRedirected(database().env, redirection, 'keys', 'create', '--account', 'unread', '--name', redirection);
  const keys = await json<{ id: number; name: string; revoked: string | null }[]>('keys', 'list', '--account', 'unread');
  const { id, revoked } = keys.find(({ name }) => name === redirection)!;
  const reason = new RegExp(`^frontdesk: Key ${id} could not be shown \\(.*(EPIPE|ENOSPC).*\\), so it was revoked\\.\n$`);
  expect([code, stderr, revoked]).toEqual([1, expect.stringMatching(reason), expect.any(String)]);
});

test('accounts and keys are created, listed and revoked', async () => {
  const account = await json<{ id: number }>('accounts', 'create', 'acme');
  expect(account).toMatchObject({ id: expect.any(Number) as number, name: 'acme' });
  expect(await json('accounts', 'list')).toContainEqual(expect.objectContaining({ id: account.id, name: 'acme' }));

  const clock = stopClock();
  const in90Days = new Date(Date.now() + 90 * 86_400_000);
  const printed = await runs('keys', 'create', '--account', 'acme', '--name', 'website', '--scopes', 'domains:read', '--expires', '90d');
  expect(printed).toMatch(KEY);
  const client = application().client(printed.trim());
  await client.get(DOMAINS).expect(200);
  await client.post(DOMAINS, { host: newHost() }).expect(403);

  const created = await json<{ key: string }>('keys', 'create', '--account', 'acme', '--name', 'second');
  expect(created).toMatchObject({ id: expect.any(Number) as number, name: 'second', account: 'acme' });
  await application().client(created.key).get(DOMAINS).expect(200);

  const [key] = await json<{ id: number; name: string; expires: string }[]>('keys', 'list', '--account', 'acme');
  expect(key).toMatchObject({ name: 'website', account: 'acme', scopes: ['domains:read'], revoked: null });
  expect(key.expires).toBe(timestamp(in90Days));

  await runs('keys', 'revoke', String(key.id));
  clock.move(1_000); // a revoked key works for a second at most
  await client.get(DOMAINS).expect(401);
});

test('domains disable and enable update the domain', async () => {
  const { client } = await application().createAccount();
  const id = await client.create(DOMAINS, { host: newHost() });
  await runs('domains', 'disable', String(id));
  expect((await client.get(`${DOMAINS}/${id}`)).body).toMatchObject({
    data: { is_enabled: false, last_datetime: expect.any(String) as string },
  });
  await runs('domains', 'enable', String(id));
  expect((await client.get(`${DOMAINS}/${id}`)).body).toMatchObject({ data: { is_enabled: true } });
});

test('migrate creates the schema, and changes nothing when it is up to date', async () => {
  const empty = await createDatabase();
  const migrate = () => runCommand(empty.env, ['migrate']);
  const applied = expect.stringMatching(/^Applied: InitialSchema\d+(, \w+)*\.\n$/) as string;
  expect(await migrate()).toEqual({ code: 0, stdout: '', stderr: applied });
  expect(await migrate()).toEqual({ code: 0, stdout: '', stderr: 'The schema is up to date.\n' });
  await empty.drop();
});

test('keys create rejects an unknown scope and lists the scopes', async () => {
  expect(await run('accounts', 'create', 'scoped')).toMatchObject({ code: 0 });
  const { code, stderr } = await run('keys', 'create', '--account', 'scoped', '--scopes', 'domains:read,everything');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^frontdesk: There is no scope everything\. The scopes are [a-z:,-]*domains:read,[a-z:,-]*secrets:read\.\n$/);
});

test.each([
  [['accounts', 'create', ' '], /^error: .* 1 to 128 characters/],
  [['keys', 'create'], /^error: required option '--account <name>' not specified/],
  [['keys', 'create', '--acount', 'x'], /^error: unknown option '--acount': required option '--account <name>' not specified/],
  [['keys', 'create', '--account', 'nobody'], /^frontdesk: There is no account named "nobody"\./],
  [['keys', 'create', '--account', 'x', '--expires', '90'], /^error: .* such as 90d/],
  [['keys', 'revoke', '1e3'], /^error: .* in digits/],
  [['domains', 'enable', '999999'], /^frontdesk: There is no domain with this id\./],
  [['nonsense'], /^error: unknown command 'nonsense'/],
])('%j exits with 1 and one line on standard error', async (argv, line) => {
  const { code, stdout, stderr } = await run(...argv);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(line);
  expect(stderr.trimEnd()).not.toContain('\n');
});

test('accounts create rejects a name that exists', async () => {
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
  const entries = await json<Record<string, unknown>[]>('audit', '--account', name);
  expect(entries.map((entry) => [entry.name, entry.account, entry.request_id])).toEqual([
    ['create account', name, null],
    ['create key', name, null],
    ['create domain', name, 'from-the-test'],
  ]);
  expect(entries[2].key).toBe(entries[1].record_id);
  expect(await runs('audit', '--account', name, '--limit', '1')).toMatch(/^id .*\n\d+ .*create domain.*\n$/);
  expect(await json('audit', '--since', '2999-01-01')).toEqual([]);
  expect((await run('audit', '--since', 'yesterday')).code).toBe(1);
  expect((await run('audit', '--limit', '0')).code).toBe(1);
});

test('accounts are disabled, enabled and deleted by name', async () => {
  const { id } = await json<{ id: number }>('accounts', 'create', 'removed');
  const listed = async () => (await json<{ name: string }[]>('accounts', 'list')).find(({ name }) => name === 'removed');
  const client = application().client((await run('keys', 'create', '--account', 'removed')).stdout.trim());
  expect(await run('accounts', 'disable', 'removed')).toEqual({ code: 0, stdout: '', stderr: `Account ${id}, removed, is disabled.\n` });
  expect(await listed()).toMatchObject({ id, disabled: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string });
  await client.get(DOMAINS).expect(401);
  expect(await run('accounts', 'enable', 'removed')).toEqual({ code: 0, stdout: '', stderr: `Account ${id}, removed, is enabled.\n` });
  expect(await listed()).toMatchObject({ id, disabled: null });
  await client.create(DOMAINS, { host: newHost() });

  const refused =
    'frontdesk: The account "removed" has records: domains (1). To delete the account and its records, run: accounts delete "removed" --with-records\n';
  expect(await run('accounts', 'delete', 'removed')).toMatchObject({ code: 1, stdout: '', stderr: refused });
  expect(await run('accounts', 'delete', 'removed', '--with-records', '--json')).toEqual({
    code: 0,
    stdout: `{"id":${id},"name":"removed","records":{"domains":1}}\n`,
    stderr: `Account ${id}, removed, was deleted with 1 record. Its audit entries remain: audit --account ${id}\n`,
  });
  expect(await listed()).toBeUndefined();
  const entries = await json<{ name: string }[]>('audit', '--account', String(id));
  expect(entries.at(-1)).toMatchObject({ name: 'delete account', account: String(id) });
  expect((await run('accounts', 'delete', 'removed')).stderr).toMatch(/^frontdesk: There is no account named "removed"/);
});

test('keys list shows the scopes of a key, or "all"', async () => {
  await run('accounts', 'create', 'scopes');
  await run('keys', 'create', '--account', 'scopes', '--name', 'whole');
  await run('keys', 'create', '--account', 'scopes', '--name', 'part', '--scopes', 'secrets:read,domains:read');
  const table = (await run('keys', 'list', '--account', 'scopes')).stdout;
  expect(table).toMatch(/^\d+ +whole +scopes +all +\d{4}.*\n\d+ +part +scopes +domains:read,secrets:read +\d{4}/m);
  const keys = await json<{ scopes: string[] }[]>('keys', 'list', '--account', 'scopes');
  expect(keys.map(({ scopes }) => scopes)).toEqual([
    application().scopes.filter((scope) => scope !== 'keys:write'),
    ['domains:read', 'secrets:read'],
  ]);
});

test('audit prune deletes old entries and records itself', async () => {
  const insert = "INSERT INTO events (datetime, account_id, action, record) VALUES ('2020-01-01 00:00:00', 1, 'create', 'domain')";
  await application().dataSource.query(insert);
  expect(await run('audit', 'prune', '--before', '2020-01-02', '--json')).toEqual({
    code: 0,
    stdout: '{"deleted":1}\n',
    stderr: 'Deleted 1 audit entry.\n',
  });
  const [entry] = await json<object[]>('audit', '--limit', '1');
  expect(entry).toMatchObject({ name: 'prune audit', account: null, key: null, record_id: null });
  expect((await run('audit', 'prune')).stderr).toMatch(/^error: required option '--before <time>' not specified/);
  expect((await run('audit', 'prune', '--before', '2999-01-01')).stderr).toMatch(/^error: .* It must not be in the future/);
});

describe('frontdesk events', () => {
  let account: TestAccount;
  const TYPES = 'domain.*,notification_handler.*'; // not the event of the account's key
  let name: string;
  const list = (...options: string[]) => json<Record<string, unknown>[]>('events', 'list', '--account', name, ...options);

  beforeEach(async () => {
    account = await application().createAccount();
    const [row] = await application().dataSource.query<[{ name: string }]>('SELECT name FROM accounts WHERE id = ?', [account.id]);
    ({ name } = row);
  });

  test('events list prints the newest events, oldest first', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 3; count++) ids.push(await account.client.create(DOMAINS, { host: newHost() }));
    await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
    const by = `key ${account.keyId}`;
    expect((await list('--types', 'domain.*')).map((row) => [row.type, row.record, row.by, row.account])).toEqual(
      ids.map((id) => ['domain.created', id, by, name]),
    );
    expect((await list('--limit', '2')).map(({ type }) => type)).toEqual(['domain.created', 'notification_handler.created']);
    const table = await run('events', 'list');
    expect(table.stdout.split('\n')[0]).toMatch(/^id +datetime +account +type +record +by +data$/);
  });

  test('events list --follow runs until SIGINT, and reports skipped events', async () => {
    await account.client.create(DOMAINS, { host: newHost() });
    const others = process.listeners('SIGINT'); // such as one that stops the tests' MySQL
    const outcome = { code: 0, stdout: '', stderr: '' };
    const ending = runCommand(database().env, ['events', 'list', '--account', name, '--types', TYPES, '--follow', '--json'], { outcome });
    try {
      await until(() => outcome.stdout.includes('"domain.created"'));
      await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
      await until(() => outcome.stdout.includes('"notification_handler.created"'));
      expect(outcome.stderr).toBe('');
      const row = "('2026-01-01 00:00:00', ?, 'create', 'domain')";
      const sql = `INSERT INTO events (datetime, account_id, action, record) VALUES ${Array<string>(10_001).fill(row).join()}`;
      await application().dataSource.query(sql, Array(10_001).fill(account.id));
      await until(() => outcome.stderr.includes('More than 10,000 events at once'));
    } finally {
      for (const listener of process.listeners('SIGINT').filter((each) => !others.includes(each))) listener('SIGINT');
    }
    expect(await ending).toMatchObject({ code: 0 });
    expect(outcome.stdout.trim().split('\n')).toHaveLength(10_002);
  });

  test('events list rejects an unknown type', async () => {
    const refused = await run('events', 'list', '--types', 'domain.gone');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/domain\.created.*notification_handler\.updated/)]);
  });

  test('events reset starts a new epoch and is audited', async () => {
    await account.client.create(DOMAINS, { host: newHost() });
    expect(await run('events', 'reset')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('have expired') as string,
    });
    await account.client.create(DOMAINS, { host: newHost() });
    const [before, after] = (await list('--types', TYPES)).map(({ id }) => String(id).split('_')[1]);
    expect(after).not.toBe(before);
    expect((await application().audited()).map(({ action, record }) => `${String(action)} ${String(record)}`)).toContain('reset events');
  });
});

describe('frontdesk health', () => {
  test('health exits with 0 when the service is ready', async () => {
    const PORT = String(application().port);
    for (const env of [{ PORT }, { PORT, HOST: '127.0.0.1' }]) {
      expect(await runCommand(env, ['health'])).toEqual({ code: 0, stdout: 'Ready.\n', stderr: '' });
    }
  });

  test('health exits with 1 and the reason when the service is not ready or not running', async () => {
    const server = createServer((_, response) => response.writeHead(503).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const failed = (reason: string) => ({ code: 1, stdout: '', stderr: `frontdesk: ${reason}\n` });
    const unready = failed(`Not ready: http://127.0.0.1:${port}/health/ready returned 503.`);
    expect(await runCommand({ PORT: String(port), HOST: '127.0.0.1' }, ['health'])).toEqual(unready);
    server.close();
    const free = await freePort();
    const absent = failed(`No response from http://127.0.0.1:${free}/health/ready: connect ECONNREFUSED 127.0.0.1:${free}`);
    expect(await runCommand({ PORT: String(free) }, ['health'])).toEqual(absent);
  });
});
