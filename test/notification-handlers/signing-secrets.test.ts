// Runs on SQLite; in the whole run, on MySQL too.
import { Clock } from '../../src/platform/common/clock';
import { Dialect } from '../../src/platform/database/dialect';
import { DeliveryTargets } from '../../src/notification-handlers/delivery-targets';
import { type TestAccount, type TestApplication, useApplication, withApplication } from '../support/application';
import type { Client } from '../support/client';
import { expectErrors, withoutRequestId } from '../support/errors';
import { HANDLERS, HANDLERS_READ } from '../support/records';

const { application, database } = useApplication();
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const URL = 'https://hooks.example.com/in';
const HOUR = 3_600_000;
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
});

const newWebhook = (owner = account) => owner.client.create(HANDLERS, { name: 'Desk', type: 'webhook', webhook: URL });
const at = (id: number, path = HANDLERS) => `${path}/${id}/signing-secret`;
const secretIn = (response: { body: unknown }) => (response.body as { data: { secret: string } }).data.secret;
const read = async (id: number, client = account.client) => secretIn(await client.get(at(id)).expect(200));
const replace = async (id: number, client = account.client) => secretIn(await client.send('POST', at(id)).expect(200));
const rowsOf = async (id: number) => (await application().rows('signing_secrets')).filter(({ handler_id }) => handler_id === id);
const targets = (of: TestApplication = application()) => of.app.get(DeliveryTargets, { strict: false });
const signing = async (id: number, ofTargets = targets()) => (await ofTargets.find([id])).get(id)!.signingSecrets();

async function auditOf(id: number): Promise<object[]> {
  const rows = (await application().audited()).filter(({ record, record_id }) => record === 'signing secret' && record_id === id);
  return rows.map(({ action, account_id, key_id, request_id }) => ({ action, account_id, key_id, request_id }));
}

/** Moves the application's clock from now on. */
function moveClock(milliseconds: number): void {
  jest.spyOn(application().app.get(Clock), 'now').mockImplementation(() => Date.now() + milliseconds);
}

describe('the signing secret of a webhook', () => {
  test('is made with the first use, and is the same on both paths', async () => {
    const id = await newWebhook();
    expect(await rowsOf(id)).toEqual([]);
    const first = await account.client.get(at(id)).set('X-Request-Id', 'first').expect(200);
    expect(secretIn(first)).toMatch(SECRET);
    expect(Buffer.from(secretIn(first).slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(first.text).toBe(JSON.stringify({ data: { secret: secretIn(first) } }));
    expect((await account.client.get(at(id, HANDLERS_READ)).expect(200)).text).toBe(first.text);
    expect((await account.client.get(`${at(id)}/`).expect(200)).text).toBe(first.text);
    expect(await auditOf(id)).toEqual([{ action: 'create', account_id: account.id, key_id: account.keyId, request_id: 'first' }]);
  });

  test('is different for each webhook, and encrypted in the database', async () => {
    const ids = [await newWebhook(), await newWebhook()];
    const secrets = [await read(ids[0]), await read(ids[1])];
    expect(secrets[0]).not.toBe(secrets[1]);
    const dump = JSON.stringify(await application().dump());
    for (const secret of secrets) expect(dump).not.toContain(secret.slice('whsec_'.length));
    for (const id of ids) expect(await rowsOf(id)).toMatchObject([{ account_id: account.id, replaced_datetime: null }]);
  });

  test('moved to another account’s row, can’t be decrypted', async () => {
    const other = await application().createAccount();
    const [from, to] = [await newWebhook(), await newWebhook(other)];
    await read(from);
    await read(to, other.client);
    const [{ secret }] = await rowsOf(from);
    await application().dataSource.query('UPDATE signing_secrets SET secret = ? WHERE handler_id = ?', [secret, to]);
    expectErrors(await other.client.get(at(to)), { code: 'internal_error' });
  });

  test('leaves the handler alone: neither its entity tag nor its times move', async () => {
    const id = await newWebhook();
    const handler = await account.client.get(`${HANDLERS}/${id}`).expect(200);
    const answers = [await account.client.get(at(id)), await account.client.send('POST', at(id))];
    expect(answers.map(({ status, headers }) => [status, headers.etag, headers['cache-control']])).toEqual(
      Array(2).fill([200, undefined, 'no-store']),
    );
    const after = await account.client.get(`${HANDLERS}/${id}`).expect(200);
    expect([after.text, after.headers.etag]).toEqual([handler.text, handler.headers.etag]);
  });

  test('is one for concurrent first uses in two processes', async () => {
    await withApplication(database().env, async (second) => {
      const clients = [account.client, second.client(account.key)];
      for (let round = 0; round < 5; round++) {
        const id = await newWebhook();
        const answers = await Promise.all([0, 1, 0, 1, 0, 1].map((index) => read(id, clients[index])));
        answers.push(...(await signing(id, targets(second))));
        expect(new Set(answers).size).toBe(1);
        expect([(await rowsOf(id)).length, (await auditOf(id)).length]).toEqual([1, 1]);
      }
    });
  });

  test.each(['GET', 'POST'])('is a 404 for a handler of another type, another account’s, or unknown: %s', async (method) => {
    const email = await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
    const foreign = await newWebhook(await application().createAccount());
    const unknown = await account.client.get(`${HANDLERS}/999999`);
    for (const path of [HANDLERS, HANDLERS_READ]) {
      for (const id of [email, foreign, 999_999]) {
        const answer = await account.client.send(method, at(id, path));
        expectErrors(answer, { code: 'not_found', detail: 'There is no notification handler with this id.' });
        expect(withoutRequestId(answer)).toBe(withoutRequestId(unknown));
      }
    }
    for (const id of [email, foreign]) expect(await rowsOf(id)).toEqual([]);
  });

  test('is read with secrets:read, and replaced with notification-handlers:write, too', async () => {
    const id = await newWebhook();
    const withScopes = async (...scopes: ('secrets:read' | 'notification-handlers:read' | 'notification-handlers:write')[]) =>
      (await application().createKey(account.id, { scopes })).client;
    await read(id, await withScopes('secrets:read'));
    await replace(id, await withScopes('secrets:read', 'notification-handlers:write'));
    const refused = { code: 'insufficient_scope', source: 'header.Authorization' } as const;
    expectErrors(await (await withScopes('notification-handlers:read', 'notification-handlers:write')).get(at(id)), refused);
    for (const scope of ['secrets:read', 'notification-handlers:write'] as const) {
      const answer = await (await withScopes(scope)).send('POST', at(id));
      expectErrors(answer, refused);
      expect(answer.headers['www-authenticate']).toContain('scope="secrets:read notification-handlers:write"');
    }
  });
});

describe('replacing it', () => {
  test('makes a new one, before the first use, too, and each is audited', async () => {
    const id = await newWebhook();
    const answer = await account.client.send('POST', at(id, HANDLERS_READ)).set('X-Request-Id', 'replace').expect(200);
    expect(answer.text).toBe(JSON.stringify({ data: { secret: secretIn(answer) } }));
    const secrets = [secretIn(answer), await replace(id)];
    expect(secrets).toEqual([expect.stringMatching(SECRET), expect.stringMatching(SECRET)]);
    expect(secrets[0]).not.toBe(secrets[1]);
    expect(await read(id)).toBe(secrets[1]);
    const made = { action: 'create', account_id: account.id, key_id: account.keyId };
    expect(await auditOf(id)).toEqual([
      { ...made, request_id: 'replace' },
      { ...made, request_id: expect.any(String) as string },
    ]);
  });

  test('takes no field and no Idempotency-Key', async () => {
    const id = await newWebhook();
    const secret = await read(id);
    expectErrors(
      await account.client.post(at(id), { secret: 'mine' }).set('Idempotency-Key', 'once'),
      { code: 'invalid_parameter', source: 'header.Idempotency-Key' },
      { code: 'unknown_parameter', source: 'form.secret' },
    );
    expect(await read(id)).toBe(secret);
    expect(await rowsOf(id)).toHaveLength(1);
  });

  test('lets the replaced ones sign for 24 hours, newest first', async () => {
    const id = await newWebhook();
    const first = await read(id);
    const second = await replace(id);
    expect(await signing(id)).toEqual([second, first]);
    moveClock(10 * HOUR);
    const third = await replace(id);
    expect(await signing(id)).toEqual([third, second, first]);
    moveClock(24 * HOUR - 60_000);
    expect(await signing(id)).toEqual([third, second, first]);
    moveClock(24 * HOUR + 1_000);
    expect(await signing(id)).toEqual([third, second]);
    moveClock(34 * HOUR + 1_000);
    expect(await signing(id)).toEqual([third]);
    expect(await read(id)).toBe(third);
    const fourth = await replace(id);
    expect(await signing(id)).toEqual([fourth, third]);
    expect(await rowsOf(id)).toHaveLength(2);
  });

  test('lets three sign at most, and deletes older ones', async () => {
    const id = await newWebhook();
    const secrets: string[] = [];
    for (let count = 0; count < 5; count++) secrets.unshift(await replace(id));
    expect(await signing(id)).toEqual(secrets.slice(0, 3));
    expect(await rowsOf(id)).toHaveLength(3);
  });

  test('concurrently leaves one current, and as many signing', async () => {
    const id = await newWebhook();
    const made = await Promise.all(Array.from({ length: 8 }, () => replace(id)));
    expect(new Set(made).size).toBe(8);
    const rows = await rowsOf(id);
    expect(rows.map(({ replaced_datetime }) => replaced_datetime === null)).toEqual([false, false, true]);
    const now = await signing(id);
    expect(made).toEqual(expect.arrayContaining(now));
    expect(await read(id)).toBe(now[0]);
  });
});

describe('a handler', () => {
  const update = (id: number, fields: Record<string, string>) => account.client.post(`${HANDLERS}/${id}`, fields).expect(200);

  test('that gets another type loses its secrets, and gets new ones as a webhook again', async () => {
    const id = await newWebhook();
    const secrets = [await read(id), await replace(id)];
    await update(id, { type: 'slack' });
    expect(await rowsOf(id)).toEqual([]);
    await account.client.get(at(id)).expect(404);
    await update(id, { type: 'webhook', webhook: URL });
    expect(secrets).not.toContain(await read(id));
    expect(await signing(id)).toHaveLength(1);
  });

  test('that changes otherwise keeps them, even if its type is named or the update is refused', async () => {
    const id = await newWebhook();
    const secret = await read(id);
    await update(id, { name: 'Other', is_enabled: '0', webhook: 'https://hooks.example.com/other' });
    await update(id, { type: 'webhook' });
    await account.client.post(`${HANDLERS}/${id}`, { type: 'slack' }).set('If-Match', '"x"').expect(412);
    await account.client.post(`${HANDLERS}/${id}`, { type: 'slack', webhook: URL }).expect(400);
    expect(await read(id)).toBe(secret);
  });

  test('that changes its type while its secret is first used keeps none', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await newWebhook();
      const uses = [account.client.get(at(id)), account.client.send('POST', at(id))];
      const [, ...answers] = await Promise.all([update(id, { type: 'slack' }), ...uses]);
      for (const { status } of answers) expect([200, 404]).toContain(status);
      expect(await rowsOf(id)).toEqual([]);
    }
  });

  test('that is deleted takes them along', async () => {
    const id = await newWebhook();
    await replace(id);
    await replace(id);
    await account.client.delete(`${HANDLERS}/${id}`).expect(200);
    expect(await rowsOf(id)).toEqual([]);
  });
});

describe('the targets of deliveries', () => {
  const create = (client: Client, type: string, value: string) => client.create(HANDLERS, { name: `A ${type}`, type, [type]: value });

  test('are found by id, in any account, each with its settings and secrets', async () => {
    const other = await application().createAccount();
    const webhook = await newWebhook();
    const slack = await create(other.client, 'slack', 'https://hooks.slack.com/x');
    const email = await create(account.client, 'email', 'ops@example.com');
    await account.client.post(`${HANDLERS}/${email}`, { is_enabled: '0' }).expect(200);
    const secrets = [await replace(webhook), await replace(webhook)].reverse();

    const found = await targets().find([email, webhook, 999_999, slack, webhook]);
    expect([...found.keys()].sort((a, b) => a - b)).toEqual([webhook, slack, email]);
    const accounts = await application().rows('accounts');
    const accountOf = ({ id }: TestAccount) => ({ accountId: id, accountName: accounts.find((row) => row.id === id)?.name });
    const read = await Promise.all(
      [...found.values()].map(async ({ settings, signingSecrets, ...rest }) => [rest, settings(), await signingSecrets()]),
    );
    expect(read).toEqual(
      expect.arrayContaining([
        [{ id: webhook, ...accountOf(account), type: 'webhook', name: 'Desk', isEnabled: true }, { webhook: URL }, secrets],
        [{ id: slack, ...accountOf(other), type: 'slack', name: 'A slack', isEnabled: true }, { slack: 'https://hooks.slack.com/x' }, []],
        [{ id: email, ...accountOf(account), type: 'email', name: 'A email', isEnabled: false }, { email: 'ops@example.com' }, []],
      ]),
    );
    expect(await targets().find([])).toEqual(new Map());
  });

  test('fail alone when they can’t be decrypted', async () => {
    const [broken, whole] = [await newWebhook(), await newWebhook()];
    await application().dataSource.query("UPDATE notification_handlers SET settings = 'ffffffff.AAAA' WHERE id = ?", [broken]);
    const found = await targets().find([broken, whole]);
    expect(() => found.get(broken)!.settings()).toThrow('The key ffffffff, which encrypts a stored secret, is missing');
    expect(found.get(whole)!.settings()).toEqual({ webhook: URL });
  });

  test('get their first secret from a delivery, which the audit ascribes to no key', async () => {
    const id = await newWebhook();
    const secrets = await signing(id);
    expect([secrets, await signing(id), await read(id)]).toEqual([[expect.stringMatching(SECRET)], secrets, secrets[0]]);
    expect(await auditOf(id)).toEqual([{ action: 'create', account_id: account.id, key_id: null, request_id: null }]);
  });

  test('are an account’s enabled handlers', async () => {
    const { id: accountId, client } = await application().createAccount();
    const slack = { handlerId: await create(client, 'slack', URL), type: 'slack' };
    const off = await create(client, 'discord', URL);
    const email = { handlerId: await create(client, 'email', 'ops@example.com'), type: 'email' };
    await client.post(`${HANDLERS}/${off}`, { is_enabled: '0' }).expect(200);
    const foreign = await newWebhook();

    const dialect = application().app.get(Dialect);
    expect(await targets().findEnabled(dialect, accountId, 10)).toEqual([slack, email]);
    expect(await targets().findEnabled(dialect, accountId, 1)).toEqual([slack]);
    const ids = [foreign, email.handlerId, off, slack.handlerId, 999_999];
    expect(await targets().findEnabled(dialect, accountId, 10, ids)).toEqual([slack, email]);
    expect(await targets().findEnabled(dialect, accountId, 10, [off])).toEqual([]);
  });
});
