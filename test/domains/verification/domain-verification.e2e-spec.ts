/** @mysql whole */
import { createHmac } from 'node:crypto';
import { setImmediate as immediate } from 'node:timers/promises';
import { Clock } from '../../../src/platform/common/clock';
import { timestamp } from '../../../src/platform/common/time';
import { base32 } from '../../../src/domains/verification/verification-tokens';
import { SecretsCipher } from '../../../src/platform/secrets/secrets-cipher';
import { type TestAccount, useApplication, withApplication } from '../../support/http/application';
import { holdTimeouts, holdClock } from '../../support/jest/clock';
import { expectErrors } from '../../support/http/errors';
import { type NameAnswer, NameServer } from '../../support/servers/name-server';
import { createDomain, DOMAINS, newHost } from '../../support/areas/records';
import {
  check,
  codesOf,
  deleteVerification,
  pathOf,
  readVerification,
  setTxt,
  type VerificationBody,
} from '../../support/areas/verification';
import { zone } from '../../support/areas/zone';
import { longTestOnce } from '../../support/jest/size';

const EDGE = 'edge.frontdesk.test';
const { application, database } = useApplication(() => ({ DNS_SERVERS: zone.server.address, EDGE_TARGET: EDGE }));
let account: TestAccount;
let host: string;
let id: number;

beforeEach(async () => {
  ({ account, host, id } = await createDomain(application()));
});

const txtName = () => `_frontdesk.${host}`;
const valueOf = async () => (await readVerification(account, id)).records[0].value;
const detailOf = ({ problems }: VerificationBody, code: string) => problems.find((problem) => problem.code === code)?.detail;
/** Points the host at the edge, so that only the TXT record can be a problem. */
const pointToEdge = () => zone.set(host, 'CNAME', [EDGE]).set(EDGE, 'A', ['203.0.113.7']);

describe('GET and POST /api/domains/:domain_id/verification', () => {
  test('a new domain is pending, with its fields in the documented order', async () => {
    const { text, body } = await account.client.get(pathOf(id)).expect(200);
    const { next_check, records } = (body as { data: VerificationBody }).data;
    expect(records).toEqual([
      { type: 'TXT', name: txtName(), value: expect.stringMatching(/^frontdesk=[a-z2-7]{32}$/) as string },
      { type: 'CNAME', name: host, value: EDGE },
    ]);
    expect(next_check).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(text).toBe(JSON.stringify({ data: { status: 'pending', checked: null, next_check, records, problems: [], certificate: null } }));
    expect(zone.server.questions).toEqual([]);
  });

  test('the TXT record verifies a domain, whose next check is a day later', async () => {
    const clock = holdClock(application());
    pointToEdge();
    await setTxt(account, id);
    const now = application().app.get(Clock).now();
    const verification = await check(account, id);
    expect(verification).toMatchObject({ status: 'verified', problems: [], checked: timestamp(new Date(now)) });
    expect(verification.next_check).toBe(timestamp(new Date(now + 86_400_000)));
    expect(await readVerification(account, id)).toEqual(verification);
    clock.move(60_000);
    expect((await check(account, id)).next_check).toBe(verification.next_check);
  });

  test('a check changes neither the domain, its ETag nor the audit log', async () => {
    await setTxt(account, id);
    const before = await account.client.get(`${DOMAINS}/${id}`);
    const entries = await application().audited();
    await check(account, id);
    const after = await account.client.get(`${DOMAINS}/${id}`);
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag]);
    expect(await application().audited()).toEqual(entries);
  });

  test('returns 404 for a missing or foreign domain without a DNS query', async () => {
    const other = await application().createAccount();
    for (const path of [pathOf(id), pathOf(999_999_999)]) {
      expectErrors(await other.client.get(path), { code: 'not_found' });
      for (let count = 0; count < 11; count++) expectErrors(await other.client.send('POST', path), { code: 'not_found' });
    }
    expectErrors(await other.client.get(`${DOMAINS}/x/verification`), { code: 'invalid_parameter', source: 'path.domain_id' });
    expect(zone.server.questions).toEqual([]);
  });

  test('rejects fields, parameters, Idempotency-Key and missing scopes', async () => {
    const post = () => account.client.send('POST', pathOf(id));
    expectErrors(await post().type('form').send({ status: 'verified' }), { code: 'unknown_parameter', source: 'form.status' });
    expectErrors(await account.client.send('POST', `${pathOf(id)}?a=1`), { code: 'unknown_parameter', source: 'query.a' });
    expectErrors(await post().set('Idempotency-Key', 'once'), { code: 'invalid_parameter', source: 'header.Idempotency-Key' });
    const reader = await application().createKey(account.id, { scopes: ['domains:read'] });
    await reader.client.get(pathOf(id)).expect(200);
    expectErrors(await reader.client.post(pathOf(id)), { code: 'insufficient_scope', source: 'header.Authorization' });
    const writer = await application().createKey(account.id, { scopes: ['domains:write'] });
    expectErrors(await writer.client.get(pathOf(id)), { code: 'insufficient_scope', source: 'header.Authorization' });
    expect(zone.server.questions).toEqual([]);
  });

  test('an account may request ten checks a minute', async () => {
    const clock = holdClock(application());
    const other = await account.client.create(DOMAINS, { host: newHost() });
    for (let count = 0; count < 10; count++) await check(account, count % 2 ? id : other);
    clock.move(20_500);
    const refused = await account.client.send('POST', pathOf(id));
    expectErrors(refused, { code: 'rate_limited' });
    expect(refused.headers['retry-after']).toBe('40');
    await readVerification(account, id);
    clock.move(39_500);
    await check(account, id);
  });

  test('a domain without a verification row is pending until it is checked', async () => {
    await deleteVerification(application(), id);
    expect(await readVerification(account, id)).toMatchObject({ status: 'pending', checked: null, problems: [] });
    await setTxt(account, id);
    expect(await check(account, id)).toMatchObject({ status: 'verified' });
  });
});

describe('verification token', () => {
  test('the token depends on account and host alone', async () => {
    const value = await valueOf();
    await account.client.delete(`${DOMAINS}/${id}`).expect(200);
    const other = await application().createAccount();
    const taken = await other.client.create(DOMAINS, { host });
    expect((await readVerification(other, taken)).records[0].value).not.toBe(value);
    await other.client.delete(`${DOMAINS}/${taken}`).expect(200);
    id = await account.client.create(DOMAINS, { host });
    expect(await valueOf()).toBe(value);
    await account.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(200);
    expect(await valueOf()).not.toBe(value);
  });

  test('the token is the base32 HMAC of account and host', async () => {
    const value = await valueOf();
    const [{ secret }] = await application().rows('stored_keys');
    const key = Buffer.from(application().app.get(SecretsCipher).decrypt(String(secret), 0), 'base64');
    expect(key).toHaveLength(32);
    const digest = createHmac('sha256', key).update(`${account.id}\0${host}`).digest();
    expect(value).toBe(`frontdesk=${base32(digest).slice(0, 32)}`);
  });

  test('another account’s token does not verify a domain', async () => {
    await setTxt(account, id);
    await account.client.delete(`${DOMAINS}/${id}`).expect(200);
    const other = await application().createAccount();
    const verification = await check(other, await other.client.create(DOMAINS, { host }));
    expect([verification.status, ...codesOf(verification)]).toEqual(['pending', 'txt_differs', 'target_missing']);
  });

  test('neither the token nor its key is stored in plain text', async () => {
    const token = (await valueOf()).split('=')[1];
    const [key, ...others] = await application().rows('stored_keys');
    expect(others).toEqual([]);
    expect(key.secret).toMatch(/^[0-9a-f]{8}\.[A-Za-z0-9+/=]+$/);
    await setTxt(account, id);
    await check(account, id);
    expect(JSON.stringify(await application().dump())).not.toContain(token);
  });
});

describe('verified domain', () => {
  beforeEach(async () => {
    await setTxt(account, id);
    expect(await check(account, id)).toMatchObject({ status: 'verified' });
  });

  test('changing the host makes a domain pending, even if it changes back', async () => {
    await account.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(200);
    expect(await readVerification(account, id)).toMatchObject({ status: 'pending', checked: null, problems: [] });
    await account.client.post(`${DOMAINS}/${id}`, { host }).expect(200);
    expect(await readVerification(account, id)).toMatchObject({ status: 'pending', checked: null });
  });

  test('changing other fields keeps a domain verified', async () => {
    await account.client.post(`${DOMAINS}/${id}`, { host: host.toUpperCase(), custom_index_url: 'https://example.com/' }).expect(200);
    expect(await readVerification(account, id)).toMatchObject({ status: 'verified' });
  });

  test('a domain that is deleted and created again is pending', async () => {
    await account.client.delete(`${DOMAINS}/${id}`).expect(200);
    expectErrors(await account.client.get(pathOf(id)), { code: 'not_found' });
    const again = await account.client.create(DOMAINS, { host });
    expect(await readVerification(account, again)).toMatchObject({ status: 'pending', checked: null });
  });

  test('a check is discarded when the host changes meanwhile', async () => {
    zone.before = async () => {
      zone.before = () => {};
      await account.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(200);
    };
    expect(await check(account, id)).toMatchObject({ status: 'pending', checked: null, problems: [] });
    expect(await readVerification(account, id)).toMatchObject({ status: 'pending', checked: null });
  });

  test('a check returns 404 when the domain is deleted meanwhile', async () => {
    zone.before = async () => {
      zone.before = () => {};
      await account.client.delete(`${DOMAINS}/${id}`).expect(200);
    };
    expectErrors(await account.client.send('POST', pathOf(id)), { code: 'not_found' });
  });
});

describe('TXT record', () => {
  beforeEach(pointToEdge);

  test('the TXT record is found among 100 records, split into strings and padded with blanks', async () => {
    const value = await valueOf();
    const strings = [` \t${value.slice(0, 9)}`, value.slice(9, 20), `${value.slice(20)} `];
    zone.set(txtName(), 'TXT', [...Array.from({ length: 99 }, (_, index) => `another-verification=${index}`), strings]);
    expect(await check(account, id)).toMatchObject({ status: 'verified', problems: [] });
    expect(zone.server.overTcp).toContain(`${txtName()} TXT`);
  });

  test('the TXT record is found in a 60 KB response', async () => {
    zone.set(txtName(), 'TXT', ['x'.repeat(60_000), await valueOf()]);
    expect(await check(account, id)).toMatchObject({ status: 'verified', problems: [] });
  });

  test('the TXT record is found through CNAMEs', async () => {
    zone.set(txtName(), 'CNAME', ['first.delegated.test']).set('first.delegated.test', 'CNAME', ['second.delegated.test']);
    zone.set('second.delegated.test', 'TXT', [await valueOf()]);
    expect(await check(account, id)).toMatchObject({ status: 'verified', problems: [] });
  });

  test.each(['NXDOMAIN', []] as const)('a TXT query that returns %j is reported as txt_missing', async (answer) => {
    zone.set(txtName(), 'TXT', answer);
    const verification = await check(account, id);
    expect(verification.status).toBe('pending');
    expect(verification.problems).toEqual([
      { code: 'txt_missing', detail: `Set a TXT record at ${txtName()} with the value in records; there is none.` },
    ]);
  });

  test.each<[string, (value: string) => string]>([
    ['in upper case', (value) => value.toUpperCase()],
    ['in quotes', (value) => `"${value}"`],
    ['without its start', (value) => value.slice(10)],
    ['with text after it', (value) => `${value}; x`],
  ])('a token %s is reported as txt_differs, without its value', async (_, change) => {
    const changed = change(await valueOf());
    zone.set(txtName(), 'TXT', [changed]);
    const verification = await check(account, id);
    expect([verification.status, ...codesOf(verification)]).toEqual(['pending', 'txt_differs']);
    expect(detailOf(verification, 'txt_differs')).toMatch(/1 other value was found\./);
    expect(detailOf(verification, 'txt_differs')).not.toContain(changed);
  });

  test('a host too long for the _frontdesk prefix is reported', async () => {
    const label = 'a'.repeat(60);
    const long = `${label}.${label}.${label}.${label}.com`;
    const longId = await account.client.create(DOMAINS, { host: long });
    const verification = await check(account, longId);
    expect(detailOf(verification, 'txt_missing')).toMatch(/^The host is too long: no DNS name may have more than 253 characters/);
  });
});

describe('DNS target', () => {
  beforeEach(() => setTxt(account, id));

  const verified = async () => {
    const verification = await check(account, id);
    expect(verification.status).toBe('verified');
    return verification;
  };

  test('accepts a CNAME chain through the target', async () => {
    zone.set(host, 'CNAME', ['Www.CDN.test']).set('www.cdn.test', 'CNAME', [EDGE]).set(EDGE, 'CNAME', ['machine.test']);
    expect(codesOf(await verified())).toEqual([]);
  });

  test('accepts a chain of eight CNAMEs but not of nine', async () => {
    const names = [host, ...Array.from({ length: 8 }, (_, index) => `cname-${index}.test`)];
    const chain = (length: number) => {
      for (let index = 0; index < length; index++) zone.set(names[index], 'CNAME', [index === length - 1 ? EDGE : names[index + 1]]);
    };
    zone.set(EDGE, 'A', []);
    chain(8);
    expect(codesOf(await verified())).toEqual([]);
    chain(9);
    expect(codesOf(await verified())).toEqual(['target_differs']);
  });

  test('accepts a host only if all its addresses are the target’s', async () => {
    zone.set(EDGE, 'A', ['203.0.113.7', '203.0.113.8']).set(EDGE, 'AAAA', ['2001:db8::7']);
    zone.set(host, 'A', ['203.0.113.8']).set(host, 'AAAA', ['2001:db8:0:0::7']);
    expect(codesOf(await verified())).toEqual([]);
    zone.set(host, 'A', ['203.0.113.8', '93.184.216.34']);
    expect(detailOf(await verified(), 'target_differs')).toBe(
      `Set a CNAME record at ${host} with the value ${EDGE}; ${host} points elsewhere: 93.184.216.34.`,
    );
  });

  test('reports a host without any address', async () => {
    expect((await verified()).problems).toEqual([
      { code: 'target_missing', detail: `Set a CNAME record at ${host} with the value ${EDGE}; no address was found.` },
    ]);
  });

  test('reports CNAMEs that point elsewhere or form a loop', async () => {
    zone.set(host, 'CNAME', ['a.test']).set('a.test', 'CNAME', ['b.test']).set('b.test', 'A', ['93.184.216.34']);
    expect(detailOf(await verified(), 'target_differs')).toMatch(/points elsewhere: by CNAME to b\.test, 93\.184\.216\.34\.$/);
    zone.set('b.test', 'CNAME', [host]);
    zone.records.delete('b.test A');
    expect(codesOf(await verified())).toEqual(['dns_unreachable']); // resolvers return SERVFAIL for a loop
  });

  test('hides CNAMEs before verification, and TXT values and private addresses always', async () => {
    zone.set(txtName(), 'TXT', ['a-canary']).set(host, 'CNAME', ['canary.test']);
    zone.set('canary.test', 'A', ['10.11.12.13', '93.184.216.34']);
    const { text } = await account.client.send('POST', pathOf(id)).expect(200);
    expect(text).toContain('93.184.216.34');
    expect(text).not.toMatch(/canary|10\.11\.12\.13/);
  });

  test('the DNS target is not checked without EDGE_TARGET', async () => {
    await withApplication({ ...database().env, DNS_SERVERS: zone.server.address }, async (other) => {
      const { body } = await other.client(account.key).post(pathOf(id)).expect(200);
      expect(body).toMatchObject({ data: { status: 'verified', problems: [], records: [{ type: 'TXT' }] } });
    });
    expect(new Set(zone.server.questions)).toEqual(new Set([`${txtName()} TXT`]));
  });

  test('EDGE_TARGET may be addresses', async () => {
    const env = { ...database().env, DNS_SERVERS: zone.server.address, EDGE_TARGET: '203.0.113.7,2001:db8::7' };
    zone.set(host, 'CNAME', ['a.test']).set('a.test', 'A', ['203.0.113.7']);
    await withApplication(env, async (other) => {
      const read = async () => ((await other.client(account.key).post(pathOf(id)).expect(200)).body as { data: VerificationBody }).data;
      const verification = await read();
      expect(codesOf(verification)).toEqual([]);
      expect(verification.records.slice(1)).toEqual([
        { type: 'A', name: host, value: '203.0.113.7' },
        { type: 'AAAA', name: host, value: '2001:db8::7' },
      ]);
      zone.set('a.test', 'AAAA', ['2001:db8::8']);
      expect(detailOf(await read(), 'target_differs')).toMatch(/^Set the A and AAAA records at .* in records; .*by CNAME to a\.test/);
      zone.set(host, 'CNAME', []);
      expect(codesOf(await read())).toEqual(['target_missing']);
    });
  });
});

describe('TXT record at a doubled name', () => {
  const doubledName = () => `${txtName()}.example.com`;

  test('a TXT record at a doubled name is reported without its value', async () => {
    pointToEdge();
    const value = await valueOf();
    zone.set(doubledName(), 'TXT', ['v=spf1 -all', ` ${value}`]);
    const { status, problems } = await check(account, id);
    expect([status, problems]).toEqual([
      'pending',
      [
        {
          code: 'txt_missing',
          detail: `Set a TXT record at ${txtName()} with the value in records; there is none. One was found at ${doubledName()}: your DNS provider adds .example.com to names, so enter ${txtName().replace(/\.example\.com$/, '')}.`,
        },
      ],
    ]);
    zone.set(txtName(), 'TXT', [value]);
    zone.server.questions.length = 0;
    expect(await check(account, id)).toMatchObject({ status: 'verified', problems: [] });
    expect(zone.server.questions).not.toContain(`${doubledName()} TXT`);
  });

  test.each<[string, NameAnswer]>([
    ['of another kind', ['v=spf1 -all']],
    ['that fails to resolve', 'SERVFAIL'],
    ['that does not exist', 'NXDOMAIN'],
  ])('a TXT record at a doubled name %s is not reported', async (_, answer) => {
    zone.set(doubledName(), 'TXT', answer);
    expect(detailOf(await check(account, id), 'txt_missing')).toMatch(/; there is none\.$/);
    expect(zone.server.questions).toContain(`${doubledName()} TXT`);
  });

  test('a timeout while looking up the doubled name delays neither the response nor the other problems', async () => {
    pointToEdge();
    zone.set(doubledName(), 'TXT', undefined);
    await withApplication({ ...database().env, DNS_SERVERS: zone.server.address, EDGE_TARGET: EDGE }, async (other) => {
      holdTimeouts();
      const verification = check({ ...account, client: other.client(account.key) }, id);
      for (let cycles = 0; cycles < 100_000 && !zone.server.questions.includes(`${doubledName()} TXT`); cycles++) await immediate();
      jest.advanceTimersByTime(4_500);
      jest.useRealTimers();
      expect(codesOf(await verification)).toEqual(['txt_missing']);
    });
  });
});

/** Servers that refuse every packet: the more servers, the shorter the timeout of each. */
const NOBODY = ['127.0.0.1:1', '127.0.0.1:1'];

describe('failing name server', () => {
  const checkWith = async (...servers: string[]) => {
    const env = { ...database().env, EDGE_TARGET: EDGE, DNS_SERVERS: [...servers, zone.server.address].join(',') };
    let verification: VerificationBody | undefined;
    await withApplication(env, async (other) => {
      verification = ((await other.client(account.key).post(pathOf(id)).expect(200)).body as { data: VerificationBody }).data;
    });
    return verification!;
  };

  const expectNoAnswer = async (answer: NameAnswer, run = () => check(account, id)) => {
    await setTxt(account, id);
    pointToEdge();
    await check(account, id);
    zone.set(txtName(), 'TXT', answer);
    expect(await run()).toMatchObject({
      status: 'verified',
      problems: [
        { code: 'dns_unreachable', detail: `No name server answered for the TXT record at ${txtName()}. It will be checked again.` },
      ],
    });
  };

  test.each(['SERVFAIL', 'REFUSED', 'FORMERR'] as const)('%s is reported as dns_unreachable and keeps the status', (answer) =>
    expectNoAnswer(answer),
  );
  /** Requests a check of the TXT record that times out. */
  async function checkWithTimeout(): Promise<VerificationBody> {
    let verification: Promise<VerificationBody> | undefined;
    await withApplication({ ...database().env, DNS_SERVERS: zone.server.address }, async (other) => {
      zone.server.questions.length = 0;
      holdTimeouts();
      verification = check({ ...account, client: other.client(account.key) }, id);
      while (zone.server.questions.length === 0) await immediate();
      jest.advanceTimersByTime(4_500);
      jest.useRealTimers();
      await verification;
    });
    return verification!;
  }

  test('a timeout is reported as dns_unreachable and keeps the status', () => expectNoAnswer(undefined, checkWithTimeout));

  test('a failed address lookup does not prevent verification', async () => {
    await setTxt(account, id);
    zone.set(host, 'CNAME', 'SERVFAIL').set(host, 'A', 'SERVFAIL').set(host, 'AAAA', 'SERVFAIL');
    expect(await check(account, id)).toMatchObject({
      status: 'verified',
      problems: [{ code: 'dns_unreachable', detail: `No name server answered for the addresses of ${host}. It will be checked again.` }],
    });
  });

  const expectNext = async (answer: NameAnswer) => {
    const first = await NameServer.start(() => answer);
    try {
      await setTxt(account, id);
      pointToEdge();
      expect(await checkWith('127.0.0.1:1', first.address)).toMatchObject({ status: 'verified', problems: [] });
      expect(first.questions).toContain(`${txtName()} TXT`);
    } finally {
      await first.close();
    }
  };

  test.each(['SERVFAIL', 'REFUSED'] as const)('after %s, the next server is queried', (answer) => expectNext(answer));
  test('after a timeout, the next server is queried', () => expectNext(undefined));

  test('NXDOMAIN is final: the next server is not queried', async () => {
    const first = await NameServer.start(() => 'NXDOMAIN');
    try {
      await setTxt(account, id);
      expect(codesOf(await checkWith(first.address))).toEqual(['txt_missing', 'target_missing']);
      expect(zone.server.questions).toEqual([]);
    } finally {
      await first.close();
    }
  });

  longTestOnce('a lost packet is sent again', async () => {
    await setTxt(account, id);
    pointToEdge();
    const asked: string[] = [];
    const lossy = await NameServer.start((name, type) => {
      asked.push(type);
      if (asked.filter((each) => each === type).length === 1) return undefined;
      return zone.records.get(`${name} ${type}`) ?? [];
    });
    try {
      await withApplication({ ...database().env, EDGE_TARGET: EDGE, DNS_SERVERS: [...NOBODY, lossy.address].join(',') }, async (other) => {
        const { body } = await other.client(account.key).post(pathOf(id)).expect(200);
        expect(body).toMatchObject({ data: { status: 'verified', problems: [] } });
      });
    } finally {
      await lossy.close();
    }
  });

  test('a slow lookup holds neither an admission slot nor a database connection', async () => {
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    const env = { ...database().env, DNS_SERVERS: zone.server.address, MAX_IN_FLIGHT: '1', DATABASE_POOL_SIZE: '1' };
    await withApplication(env, async (other) => {
      const asked = new Promise<void>((resolve) => {
        zone.before = () => {
          resolve();
          return held;
        };
      });
      const checking = other
        .client(account.key)
        .post(pathOf(id))
        .then((response) => response);
      await asked;
      await other.client(account.key).get(`${DOMAINS}/${id}`).expect(200);
      answer();
      expect((await checking).status).toBe(200);
    });
  });
});
