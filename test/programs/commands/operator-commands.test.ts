// Runs on SQLite; in the whole run, on MySQL too.
import { useApplication } from '../../support/application';
import { type Outcome, runCommand } from '../../support/command';
import { DOMAINS, newHost } from '../../support/records';

const { application, database } = useApplication();
const run = (...argv: string[]): Promise<Outcome> => runCommand(database().env, argv);
const listed = async (name: string) =>
  (JSON.parse((await run('accounts', 'list', '--json')).stdout) as { id: number; name: string }[]).find((account) => account.name === name);

test('an account is disabled, enabled and deleted by name', async () => {
  const { id } = JSON.parse((await run('accounts', 'create', 'acme', '--json')).stdout) as { id: number };
  const client = application().client((await run('keys', 'create', '--account', 'acme')).stdout.trim());
  expect(await run('accounts', 'disable', 'acme')).toEqual({ code: 0, stdout: '', stderr: `Account ${id}, acme, is disabled.\n` });
  expect(await listed('acme')).toMatchObject({ id, disabled: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string });
  await client.get(DOMAINS).expect(401);
  expect(await run('accounts', 'enable', 'acme')).toEqual({ code: 0, stdout: '', stderr: `Account ${id}, acme, is enabled.\n` });
  expect(await listed('acme')).toMatchObject({ id, disabled: null });
  await client.create(DOMAINS, { host: newHost() });

  const refused =
    'frontdesk: The account "acme" has records: domains (1). To delete the account and its records, run: accounts delete "acme" --with-records\n';
  expect(await run('accounts', 'delete', 'acme')).toMatchObject({ code: 1, stdout: '', stderr: refused });
  expect(await run('accounts', 'delete', 'acme', '--with-records', '--json')).toEqual({
    code: 0,
    stdout: `{"id":${id},"name":"acme","records":{"domains":1}}\n`,
    stderr: `Account ${id}, acme, was deleted with 1 record. Its audit entries remain: audit --account ${id}\n`,
  });
  expect(await listed('acme')).toBeUndefined();
  const entries = JSON.parse((await run('audit', '--account', String(id), '--json')).stdout) as { name: string }[];
  expect(entries.at(-1)).toMatchObject({ name: 'delete account', account: String(id) });
  expect((await run('accounts', 'delete', 'acme')).stderr).toMatch(/^frontdesk: There is no account named "acme"/);
});

test('a key with all scopes is listed with scopes "all"', async () => {
  await run('accounts', 'create', 'scopes');
  await run('keys', 'create', '--account', 'scopes', '--name', 'whole');
  await run('keys', 'create', '--account', 'scopes', '--name', 'part', '--scopes', 'secrets:read,domains:read');
  const table = (await run('keys', 'list', '--account', 'scopes')).stdout;
  expect(table).toMatch(/^\d+ +whole +scopes +all +\d{4}.*\n\d+ +part +scopes +domains:read,secrets:read +\d{4}/m);
  const keys = JSON.parse((await run('keys', 'list', '--account', 'scopes', '--json')).stdout) as { scopes: string[] }[];
  expect(keys.map(({ scopes }) => scopes)).toEqual([[...application().scopes], ['domains:read', 'secrets:read']]);
});

test('audit prune deletes old entries and records itself', async () => {
  const insert = "INSERT INTO audit (datetime, account_id, action, record) VALUES ('2020-01-01 00:00:00', 1, 'create', 'domain')";
  await application().dataSource.query(insert);
  expect(await run('audit', 'prune', '--before', '2020-01-02', '--json')).toEqual({
    code: 0,
    stdout: '{"deleted":1}\n',
    stderr: 'Deleted 1 audit entry.\n',
  });
  const [entry] = JSON.parse((await run('audit', '--limit', '1', '--json')).stdout) as object[];
  expect(entry).toMatchObject({ name: 'prune audit', account: null, key: null, record_id: null });
  expect((await run('audit', 'prune')).stderr).toMatch(/^error: required option '--before <time>' not specified/);
  expect((await run('audit', 'prune', '--before', '2999-01-01')).stderr).toMatch(/^error: .* It must not be in the future/);
});
