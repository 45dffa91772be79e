/** @mysql whole */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ApiKey } from '../../src/auth/accounts/api-key.entity';
import { ApiKeysService, generateKey } from '../../src/auth/accounts/api-keys.service';
import { SCOPE } from '../../src/auth/route-policies';
import { timestamp } from '../../src/platform/common/time';
import { DomainsController } from '../../src/domains/domains.controller';
import { type TestAccount, useApplication, withApplication } from '../support/http/application';
import { onMysql } from '../support/servers/database';
import { stopClock } from '../support/jest/clock';
import { expectErrors, withoutRequestId } from '../support/http/errors';
import { DOMAINS, HANDLERS } from '../support/areas/records';
import { isPromised, RouteTable } from '../support/http/route-table';
import { routesOf, withId } from '../support/http/routes';

const { application, database } = useApplication();
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
});

const unauthenticated = { code: 'unauthenticated', source: 'header.Authorization' } as const;
const CHALLENGE = 'Bearer realm="frontdesk"';
const INVALID_TOKEN = `${CHALLENGE}, error="invalid_token"`;

const authorize = (authorization: string) => application().client().get(DOMAINS).set('Authorization', authorization);

describe('routes without authentication', () => {
  const PUBLIC = ['/health/live', '/health/ready', '/openapi.json', '/docs', '/docs/', '/docs/swagger-ui-init.js'];
  /** Authenticated by a signature of Twilio or of this service. */
  const SIGNED = ['/callbacks/twilio', '/callbacks/twilio/:token', '/acknowledge/:token'];
  /** Routes that the docs page's package registers, too. */
  const NOT_SERVED = ['/docs/docs/swagger-ui-init.js', '/docs/index.html', '/docs/LICENSE'];

  test('every route that is not public responds with 401 without a key', async () => {
    const closed = routesOf(application()).filter(({ path }) => ![...PUBLIC, ...SIGNED, ...NOT_SERVED].includes(path));
    expect(closed).toEqual(expect.arrayContaining((await RouteTable.of(application())).closed));
    for (const route of closed) {
      const response = await application().client().send(route.method, withId(route, 1));
      expectErrors(response, unauthenticated);
      expect(response.headers['www-authenticate']).toBe(CHALLENGE);
    }
  });

  test.each(PUBLIC)('GET %s needs no key', async (path) => {
    await application().client().get(path).expect(200);
  });

  test.each([...NOT_SERVED, '/docs/package.json', '/docs/index.js'])('GET %s is a 404', async (path) => {
    expectErrors(await application().client().get(path), { code: 'not_found' });
  });
});

describe('requests without a bearer key', () => {
  test('the WWW-Authenticate challenge has no error code', async () => {
    const response = await application().client().get(DOMAINS);
    expectErrors(response, unauthenticated);
    expect(response.headers['www-authenticate']).toBe(CHALLENGE);
  });

  test.each(['Basic ZmRfOng=', 'Digest x', 'Token fd_x', 'BearerX y', 'fd_x', ''])(
    'the header %j is not a bearer scheme',
    async (header) => {
      const response = await authorize(header);
      expectErrors(response, unauthenticated);
      expect(response.headers['www-authenticate']).toBe(CHALLENGE);
    },
  );

  test('a key in the query or in a body is not accepted', async () => {
    const parameter = `access_token=${account.key}`;
    const inQuery = await application().client().get(`${DOMAINS}?${parameter}`);
    const inForm = await application().client().post(DOMAINS, { host: 'a.example', access_token: account.key });
    const inUrlencoded = await application().client().send('POST', DOMAINS).type('form').send(parameter);
    const inJson = await application().client().send('POST', DOMAINS).send({ access_token: account.key });
    for (const response of [inQuery, inForm, inUrlencoded, inJson]) {
      expectErrors(response, unauthenticated);
      expect(response.headers['www-authenticate']).toBe(CHALLENGE);
      expect(response.text).not.toContain(account.key);
    }
  });

  test('a key in the query beside one in the header is an unknown parameter', async () => {
    const response = await account.client.get(`${DOMAINS}?access_token=${account.key}`);
    expectErrors(response, { code: 'unknown_parameter', source: 'query.access_token' });
    expect(response.text).not.toContain(account.key);
  });
});

describe('API keys', () => {
  test('malformed, unknown, expired and revoked keys get the same response', async () => {
    const expired = await application().createKey(account.id, { expires: new Date(Date.now() - 1000) });
    const revoked = await application().createKey(account.id);
    await application().app.get(ApiKeysService).revoke(revoked.keyId);
    const keys = ['', ' ', 'x', 'fd_', `${account.key}x`, account.key.toLowerCase(), generateKey(), expired.key, revoked.key, 'a b'];

    const answers = await Promise.all(keys.map((key) => authorize(`Bearer ${key}`)));
    for (const response of answers) {
      expectErrors(response, unauthenticated);
      expect(response.headers['www-authenticate']).toBe(INVALID_TOKEN);
    }
    expect(new Set(answers.map(withoutRequestId)).size).toBe(1);
  });

  test('the Bearer scheme is case-insensitive', async () => {
    await authorize(`bearer ${account.key}`).expect(200);
    await authorize(`BEARER ${account.key}`).expect(200);
  });

  test('a key with a wrong checksum takes no database query, an unknown one takes one', async () => {
    const queries = jest.spyOn(application().dataSource.getRepository(ApiKey), 'createQueryBuilder'); // of keys alone: jobs query, too
    const last = account.key.at(-1) === '0' ? '1' : '0';
    await authorize(`Bearer ${account.key.slice(0, -1)}${last}`).expect(401);
    expect(queries).not.toHaveBeenCalled();
    await authorize(`Bearer ${generateKey()}`).expect(401);
    expect(queries).toHaveBeenCalledTimes(1);
  });

  test('a key is stored only as its SHA-256', async () => {
    const { key, keyId } = await application().createKey(account.id);
    const row = (await application().rows('api_keys')).find(({ id }) => id === keyId)!;
    expect(row.key_hash).toBe(createHash('sha256').update(key).digest('hex'));
    expect(JSON.stringify(row)).not.toContain(key.slice(3, 35));
    if (!onMysql) {
      const file = database().env.DATABASE_URL.slice('sqlite:'.length);
      for (const suffix of ['', '-wal']) expect(readFileSync(file + suffix).includes(key.slice(3, 35))).toBe(false);
    }
  });

  test('a key has all scopes but keys:write by default', async () => {
    const { keyId } = await application().createKey(account.id, { name: 'website' });
    const row = (await application().rows('api_keys')).find(({ id }) => id === keyId)!;
    expect(row).toMatchObject({
      account_id: account.id,
      name: 'website',
      scopes: application()
        .scopes.filter((scope) => scope !== 'keys:write')
        .join(','),
      has_all_scopes: 1,
      expires_datetime: null,
    });
    expect(row).toMatchObject({ last_used_datetime: null, revoked_datetime: null });
    expect(row.datetime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  test('several spaces between scheme and key are accepted', async () => {
    for (const scheme of ['Bearer  ', 'bearer   ']) {
      await authorize(scheme + account.key).expect(200); // looked up, and
      await authorize(scheme + account.key).expect(200); // cached
    }
  });

  test('a key works before it expires', async () => {
    const { client } = await application().createKey(account.id, { expires: new Date(Date.now() + 3_600_000) });
    await client.get(DOMAINS).expect(200);
  });

  test.each(['this process', 'another'])('a key revoked by %s stops working within a second', async (where) => {
    const clock = stopClock();
    await withApplication(database().env, async (serving) => {
      const { key, keyId } = await application().createKey(account.id);
      const client = serving.client(key);
      await client.get(DOMAINS).expect(200);

      const revoking = where === 'another' ? application() : serving;
      await revoking.app.get(ApiKeysService).revoke(keyId);
      clock.move(1_000);
      await client.get(DOMAINS).expect(401);
    });
  });

  test('the last-used time of a key is written at most once a minute', async () => {
    const { key, keyId } = await application().createKey(account.id);
    const lastUsed = async () => (await application().rows('api_keys')).find(({ id }) => id === keyId)!.last_used_datetime as string | null;
    const setLastUsed = (time: string) =>
      application().dataSource.query('UPDATE api_keys SET last_used_datetime = ? WHERE id = ?', [time, keyId]);
    /** Another process, without the key in its cache. It writes after the response, so this waits for the write. */
    const useElsewhere = (isWritten: (time: string | null) => boolean) =>
      withApplication(database().env, async (other) => {
        await other.client(key).get(DOMAINS).expect(200);
        do await other.client(key).get(DOMAINS).expect(200);
        while (!isWritten(await lastUsed()));
      });

    const begun = timestamp(Date.now());
    await useElsewhere((time) => time !== null);
    const first = (await lastUsed())!;
    expect([begun <= first, first <= timestamp(Date.now())]).toEqual([true, true]);

    stopClock();
    const recent = timestamp(new Date(Date.now() - 59_000));
    await setLastUsed(recent);
    await useElsewhere(() => true);
    expect(await lastUsed()).toBe(recent);

    await setLastUsed(timestamp(new Date(Date.now() - 61_000)));
    await useElsewhere((time) => time !== null && time > recent);
  });
});

/** The handler of the domain list, which has the scope as metadata. */
const LIST = Object.getOwnPropertyDescriptor(DomainsController.prototype, 'findPage')!.value as object;

describe('scopes of a later version', () => {
  afterEach(() => Reflect.defineMetadata(SCOPE, ['domains:read'], LIST));

  test('a new scope is granted to keys with all scopes only', async () => {
    const before = await application().createKey(account.id);
    const some = await application().createKey(account.id, { scopes: application().scopes });
    Reflect.defineMetadata(SCOPE, ['later:read'], LIST);
    await withApplication(database().env, async (later) => {
      await later.client(before.key).get(DOMAINS).expect(200);
      expectErrors(await later.client(some.key).get(DOMAINS), { code: 'insufficient_scope', source: 'header.Authorization' });
    });
  });

  test('a key with all scopes that was created before secrets:read may read secrets', async () => {
    const { client, keyId } = await application().createKey(account.id);
    await application().dataSource.query('UPDATE api_keys SET scopes = ? WHERE id = ?', ['domains:read', keyId]);
    const slack = 'https://hooks.example.com/services/T0/B0/secret';
    const id = await client.create(HANDLERS, { name: 'Desk', type: 'slack', slack });
    expect((await client.get(`${HANDLERS}/${id}`).expect(200)).body).toMatchObject({ data: { settings: { slack } } });
  });
});

describe('scopes of routes', () => {
  test('each promised route requires the read or write scope of its area', async () => {
    const table = await RouteTable.of(application());
    for (const route of table.closed.filter(isPromised)) {
      const area = /^\/(?:api\/)?([a-z-]+)/.exec(route.path)![1].replace(/^notification-handler$/, 'notification-handlers');
      expect([route, table.scopesOf(route)]).toEqual([route, [`${area}:${route.method === 'GET' ? 'read' : 'write'}`]]);
    }
  });

  test('a route accepts exactly the keys that have all of its scopes', async () => {
    const table = await RouteTable.of(application());
    for (const route of table.closed) {
      const scopes = table.scopesOf(route);
      expect(application().scopes).toEqual(expect.arrayContaining(scopes));
      const path = withId(route, '999999');
      const { client: allowed } = await application().createKey(account.id, { scopes });
      expect([401, 403, 500]).not.toContain((await allowed.send(route.method, path)).status);

      for (const scope of scopes) {
        const others = application().scopes.filter((name) => name !== scope);
        const { client: refused } = await application().createKey(account.id, { scopes: others });
        const response = await refused.send(route.method, path);
        expectErrors(response, {
          code: 'insufficient_scope',
          source: 'header.Authorization',
          detail: `The API key needs the scope ${scope}.`,
        });
        expect(response.headers['www-authenticate']).toBe(`${CHALLENGE}, error="insufficient_scope", scope="${scopes.join(' ')}"`);
      }
    }
  });
});
