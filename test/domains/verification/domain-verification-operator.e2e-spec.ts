/** @mysql whole */
import { randomUUID } from 'node:crypto';
import { AccountDeletion } from '../../../src/auth/accounts/account-deletion';
import { AccountsService } from '../../../src/auth/accounts/accounts.service';
import { DomainsService } from '../../../src/domains/domains.service';
import { WriteExecutor } from '../../../src/platform/database/writes/transactions';
import { type TestAccount, useApplication, withApplication } from '../../support/http/application';
import { until } from '../../support/jest/clock';
import { type Outcome, runCommand } from '../../support/areas/command';
import { newSecretsKey, onMysql } from '../../support/servers/database';
import { auditOf } from '../../support/areas/deliveries';
import { expectErrors } from '../../support/http/errors';
import { createDomain, DOMAINS, newHost, insertDomains } from '../../support/areas/records';
import { check, deleteVerification, readVerification, setTxt } from '../../support/areas/verification';
import { zone } from '../../support/areas/zone';

const { application, database } = useApplication(() => ({ DNS_SERVERS: zone.server.address }));
let account: TestAccount;
let host: string;
let id: number;

beforeEach(async () => {
  ({ account, host, id } = await createDomain(application()));
});

const run = (...argv: string[]): Promise<Outcome> => runCommand(database().env, ['domains', ...argv]);
const deleteAccount = async () => {
  const { app } = application();
  return app.get(AccountDeletion).run(
    (await app.get(AccountsService).findAll()).find((each) => each.id === account.id)!,
    true,
  );
};
const nameOf = async ({ id }: TestAccount) => (await application().app.get(AccountsService).findAll()).find((each) => each.id === id)!.name;
const actions = async () => (await auditOf(application(), account, 'domain')).map(({ action, key_id }) => [action, key_id]);
const changes = async () => (await application().loggedHosts()).filter((each) => each === host).length;

describe('domains token', () => {
  test('domains token prints the token of a host before the domain exists', async () => {
    const [later, name] = ['Später.Example.COM.', await nameOf(account)];
    const { code, stdout, stderr } = await run('token', later, '--account', name);
    const ascii = 'xn--spter-hra.example.com';
    expect([code, stderr]).toEqual([0, `Set a TXT record at _frontdesk.${ascii} with the value frontdesk=${stdout}`]);
    expect(stdout).toMatch(/^[a-z2-7]{32}\n$/);
    const domain = await account.client.create(DOMAINS, { host: later });
    const [record] = (await readVerification(account, domain)).records;
    expect(record).toEqual({ type: 'TXT', name: `_frontdesk.${ascii}`, value: `frontdesk=${stdout.trim()}` });
    const json = JSON.parse((await run('token', later, '--account', name, '--json')).stdout) as object;
    expect(json).toEqual({ host: ascii, token: stdout.trim(), record });
    await account.client.delete(`${DOMAINS}/${domain}`).expect(200);
  });

  test('domains token rejects an invalid host and an unknown account', async () => {
    expect((await run('token', 'localhost', '--account', await nameOf(account))).stderr).toMatch(/It must be a host name of two labels/);
    expect((await run('token', host, '--account', 'nobody')).stderr).toMatch(/^frontdesk: There is no account named "nobody"/);
  });

  test('secrets rotate does not change a token', async () => {
    const before = await readVerification(account, id);
    const [{ secret }] = await application().rows('stored_keys');
    const env = { ...database().env };
    if (onMysql) env.SECRETS_KEY = `${newSecretsKey()},${env.SECRETS_KEY}`;
    expect((await runCommand(env, ['secrets', 'rotate'])).code).toBe(0);
    expect((await application().rows('stored_keys'))[0].secret).not.toBe(secret);
    const { stdout } = await runCommand(env, ['domains', 'token', host, '--account', await nameOf(account)]);
    expect(before.records[0].value).toBe(`frontdesk=${stdout.trim()}`);
    if (onMysql) await runCommand({ ...env, SECRETS_KEY: env.SECRETS_KEY.split(',').reverse().join() }, ['secrets', 'rotate']);
  });
});

test('domains show prints the same records and problems as the API', async () => {
  await check(account, id);
  const { status, checked, next_check, records, problems } = await readVerification(account, id);
  const shown = { id, host, account: await nameOf(account), is_enabled: true, status, is_by_operator: false, checked, next_check };
  const { code, stdout } = await run('show', String(id), '--json');
  expect([code, JSON.parse(stdout)]).toEqual([0, { ...shown, records, problems }]);
  const text = (await run('show', String(id))).stdout;
  expect(text).toContain(`\nstatus          ${status}\n`);
  for (const { value } of records) expect(text).toContain(value);
  for (const { code: problem, detail } of problems) expect(text).toContain(`${problem}  ${detail}`);
});

describe('domains verify', () => {
  test('domains verify overrides DNS until domains unverify', async () => {
    expect(await run('verify', String(id))).toEqual({ code: 0, stdout: '', stderr: `Domain ${id} is verified until its host changes.\n` });
    expect(await check(account, id)).toMatchObject({ status: 'verified', problems: [{ code: 'txt_missing' }] });
    expect(await changes()).toBe(1);
    expect(await run('unverify', String(id))).toMatchObject({ stderr: `Domain ${id} is no longer verified.\n` });
    expect(await readVerification(account, id)).toMatchObject({ status: 'pending', checked: null });
    expect(await changes()).toBe(2);
    expect(await run('unverify', String(id))).toMatchObject({ code: 0, stderr: `Domain ${id} was not verified; nothing changed.\n` });
    const expected = [['create', account.keyId], ...['verify', 'unverify'].map((action) => [action, null])];
    expect(await actions()).toEqual(expected);
  });

  test('an operator’s verification ends when the host changes', async () => {
    await run('verify', String(id));
    await account.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(200);
    expect(await check(account, id)).toMatchObject({ status: 'pending' });
  });

  test.each(['show', 'verify', 'unverify'])('domains %s fails for an unknown id', async (command) => {
    const stderr = 'frontdesk: There is no domain with this id.\n';
    expect(await run(command, '999999999')).toEqual({ code: 1, stdout: '', stderr });
  });
});

describe('domains release', () => {
  test('domains release deletes an unverified domain and audits it in its account', async () => {
    const other = await application().createAccount();
    expectErrors(await other.client.post(DOMAINS, { host }), { code: 'host_taken', source: 'form.host' });
    const stderr = `Domain ${id} of account ${account.id} was deleted; ${host} is free.\n`;
    expect(await run('release', host)).toEqual({ code: 0, stdout: '', stderr });
    expect(await actions()).toEqual([
      ['create', account.keyId],
      ['delete', null],
    ]);
    await other.client.create(DOMAINS, { host });
    expectErrors(await account.client.get(`${DOMAINS}/${id}`), { code: 'not_found' });
  });

  test('domains release deletes a verified domain only with --force', async () => {
    await run('verify', String(id));
    expect(await run('release', host)).toMatchObject({
      code: 1,
      stderr: `frontdesk: ${host} is verified. To release it anyway, add --force.\n`,
    });
    await account.client.get(`${DOMAINS}/${id}`).expect(200);
    expect((await run('release', host, '--force')).code).toBe(0);
    expect(await changes()).toBe(2);
    expect((await run('release', host)).stderr).toBe(`frontdesk: There is no domain with the host ${host}.\n`);
  });

  test.each([[[]], [['--force']]])('domains release deletes nothing if the domain is renamed meanwhile: %j', async (options) => {
    const renamed = newHost();
    jest.spyOn(DomainsService.prototype, 'delete').mockImplementationOnce(async function (this: DomainsService, ...args) {
      await account.client.post(`${DOMAINS}/${id}`, { host: renamed }).expect(200);
      return this.delete(...args);
    });
    const stderr = `frontdesk: Domain ${id} has just been renamed; ${host} is no longer its host.\n`;
    expect(await run('release', host, ...options)).toMatchObject({ code: 1, stderr });
    expect((await account.client.get(`${DOMAINS}/${id}`).expect(200)).text).toContain(renamed);
  });
});

test('domains list shows verifications by account and status, each problem code once', async () => {
  const second = await account.client.create(DOMAINS, { host: newHost() });
  await run('verify', String(second));
  await check(account, id);
  const { checked, next_check, problems } = await readVerification(account, id);
  const twice = JSON.stringify([...problems, ...problems]);
  await application().dataSource.query('UPDATE domain_verifications SET problems = ? WHERE domain_id = ?', [twice, id]);
  const name = await nameOf(account);
  const list = async (...options: string[]) =>
    JSON.parse((await run('list', '--account', name, '--json', ...options)).stdout) as Record<string, unknown>[];
  const rows = await list();
  expect(rows.map((row) => row.id)).toEqual([id, second]);
  expect(rows[0]).toEqual({
    id,
    name: host,
    account: name,
    is_enabled: true,
    status: 'pending',
    is_by_operator: false,
    checked,
    next_check,
    problems: ['txt_missing'],
  });
  expect(await list('--status', 'verified')).toMatchObject([{ id: second, is_by_operator: true }]);
  expect(await list('--status', 'failed')).toEqual([]);
  expect((await run('list', '--account', name)).stdout).toMatch(/^id +name +account +is_enabled +status .*\n\d+ +.*pending/);
  expect((await run('list', '--status', 'x')).stderr).toMatch(/Allowed choices are pending, verified, failed/);
});

test('deleting an account first removes its hosts from the edge', async () => {
  await setTxt(account, id);
  await check(account, id);
  expect(await changes()).toBe(1);
  let answer = (): void => undefined;
  const second = newHost();
  const pending = await account.client.create(DOMAINS, { host: second });
  await setTxt(account, pending);
  const asked = new Promise<void>((resolve) => {
    zone.before = () => {
      resolve();
      return new Promise((release) => (answer = release));
    };
  });
  const checking = account.client.send('POST', `${DOMAINS}/${pending}/verification`).then((response) => response);
  await asked;
  await insertDomains(application(), account.id, 1_500); // more than a batch
  const deletion = deleteAccount();
  await until(changes, (count) => count === 2);
  answer(); // too late
  await Promise.all([checking, deletion]);
  const left = (await application().rows('domain_verifications')).filter(({ account_id }) => account_id === account.id);
  expect(left).toEqual([]);
  expect(await application().loggedHosts()).not.toContain(second);
});

test('a domain verified between two batches of an account’s deletion is removed from the edge', async () => {
  await insertDomains(application(), account.id, 1_500);
  const executor = application().app.get(WriteExecutor);
  const run = executor.run.bind(executor);
  const ofAccount = async (table: string) => (await application().rows(table)).filter(({ account_id }) => account_id === account.id);
  let isVerified = false;
  jest.spyOn(executor, 'run').mockImplementation(async (work) => {
    const result = await run(work);
    if (isVerified || (await ofAccount('domains')).length > 1_000) return result;
    isVerified = true;
    await application().dataSource.query("UPDATE domain_verifications SET status = 'verified' WHERE domain_id = ?", [id]);
    return result;
  });
  await deleteAccount();
  jest.restoreAllMocks();
  expect([isVerified, await changes()]).toEqual([true, 1]);
  expect([...(await ofAccount('domain_verifications')), ...(await ofAccount('domains'))]).toEqual([]);
});

test('an interrupted deletion keeps the verifications of remaining domains', async () => {
  await insertDomains(application(), account.id, 1_500);
  const executor = application().app.get(WriteExecutor);
  const run = executor.run.bind(executor);
  const domains = async () => (await application().rows('domains')).filter(({ account_id }) => account_id === account.id).length;
  jest.spyOn(executor, 'run').mockImplementation(async (work) => {
    if ((await domains()) <= 1_000) throw new Error('lost'); // the second batch
    return run(work);
  });
  await expect(deleteAccount()).rejects.toThrow('lost');
  jest.restoreAllMocks();
  const left = (await application().rows('domain_verifications')).filter(({ domain_id }) => domain_id === id);
  expect([await domains(), left.length]).toEqual([501, 1]);
});

describe('MAX_DOMAINS', () => {
  const withLimit = (max: number, work: Parameters<typeof withApplication>[1]) =>
    withApplication({ ...database().env, MAX_DOMAINS: String(max) }, work);

  test('MAX_DOMAINS limits an account’s domains, also when created concurrently', async () => {
    await withLimit(3, async (limited) => {
      const client = limited.client(account.key);
      const responses = await Promise.all(Array.from({ length: 6 }, () => client.post(DOMAINS, { host: newHost() }).then()));
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
      const refused = responses.find(({ status }) => status === 409)!;
      expectErrors(refused, { code: 'limit_reached' });
      expect(refused.text).toContain('"This account may have at most 3 domains; delete one, or ask the operator for more."');
      await client.delete(`${DOMAINS}/${id}`).expect(200);
      await client.post(DOMAINS, { host: newHost() }).expect(201);
      const other = await limited.createAccount();
      await other.client.post(DOMAINS, { host: newHost() }).expect(201);
    });
  });

  test('a repeat with an Idempotency-Key succeeds at the limit', async () => {
    await withLimit(2, async (limited) => {
      const [client, fields, key] = [limited.client(account.key), { host: newHost() }, randomUUID()];
      const post = () => client.post(DOMAINS, fields).set('Idempotency-Key', key);
      const first = await post().expect(201);
      expect((await post().expect(201)).text).toBe(first.text);
      expectErrors(await client.post(DOMAINS, { host: newHost() }), { code: 'limit_reached' });
    });
  });
});

describe('GET /api/domains?include=verification', () => {
  interface Listed {
    host: string;
    verification: { status: string; lost: boolean; checked: string | null; next_check: string | null; problems: { code: string }[] };
  }
  const list = async (query = 'include=verification') =>
    (await account.client.get(`${DOMAINS}?${query}`).expect(200)).body as { data: Listed[]; links: { self: string } };
  const state = async () => (await list()).data[0].verification;

  test('include=verification adds a last field, with its fields in order', async () => {
    const { status, checked, next_check, problems } = await readVerification(account, id); // sets the time of the first check
    const { data } = await list('include=verification&orderby=host&sort=desc&results_per_page=10');
    expect(Object.keys(data[0]).at(-1)).toBe('verification');
    expect(JSON.stringify(data[0].verification)).toBe(JSON.stringify({ status, lost: false, checked, next_check, problems }));
  });

  test('page links keep include=verification, after other parameters', async () => {
    const { links } = await list('include=verification&orderby=host&results_per_page=10');
    expect(links.self).toMatch(/\/api\/domains\?&page=1&results_per_page=10&orderby=host&include=verification$/);
  });

  test('lists have no verification by default, and other values of include are rejected', async () => {
    expect(Object.keys((await list('orderby=id')).data[0])).not.toContain('verification');
    for (const value of ['', 'records', 'verification,verification'])
      expectErrors(await account.client.get(`${DOMAINS}?include=${value}`), { code: 'invalid_parameter', source: 'query.include' });
  });

  test('a list shows domains without a verification row as pending', async () => {
    await deleteVerification(application(), id);
    expect(await state()).toEqual({ status: 'pending', lost: false, checked: null, next_check: null, problems: [] });
  });

  test('lost is true after verification ends, until verified again or renamed', async () => {
    await run('verify', String(id));
    expect(await state()).toMatchObject({ status: 'verified', lost: false });
    await run('unverify', String(id));
    expect(await state()).toMatchObject({ status: 'pending', lost: true });
    await check(account, id);
    expect(await state()).toMatchObject({ status: 'pending', lost: true, problems: [{ code: 'txt_missing' }] });
    await setTxt(account, id);
    await check(account, id);
    expect(await state()).toMatchObject({ status: 'verified', lost: false, problems: [] });
    await run('unverify', String(id));
    await account.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(200);
    expect(await state()).toMatchObject({ status: 'pending', lost: false });
  });
});
