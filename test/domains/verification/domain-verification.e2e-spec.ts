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
import { isWhole, longTest } from '../../support/jest/size';
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
/** Leads the host to the edge, so that only the TXT record is at issue. */
const leadToEdge = () => zone.set(host, 'CNAME', [EDGE]).set(EDGE, 'A', ['203.0.113.7']);

describe('the verification of a domain', () => {
  test('is pending at first, and has its fields in the documented order', async () => {
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

  test('answers with and without a slash, and to HEAD', async () => {
    await account.client.get(`${pathOf(id)}/`).expect(200);
    await account.client.send('HEAD', pathOf(id)).expect(200);
    expectErrors(await account.client.send('DELETE', pathOf(id)), { code: 'method_not_allowed' });
  });

  test('is verified by its TXT record', async () => {
    const clock = holdClock(application());
    leadToEdge();
    await setTxt(account, id);
    const now = application().app.get(Clock).now();
    const verification = await check(account, id);
    expect(verification).toMatchObject({ status: 'verified', problems: [], checked: timestamp(new Date(now)) });
    expect(verification.next_check).toBe(timestamp(new Date(now + 86_400_000)));
    expect(await readVerification(account, id)).toEqual(verification);
    clock.move(60_000);
    expect((await check(account, id)).next_check).toBe(verification.next_check);
  });

  test('leaves the record, its entity tag and the audit as they are', async () => {
    await setTxt(account, id);
    const before = await account.client.get(`${DOMAINS}/${id}`);
    const entries = await application().audited();
    await check(account, id);
    const after = await account.client.get(`${DOMAINS}/${id}`);
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag]);
    expect(await application().audited()).toEqual(entries);
  });

  test('of another account’s domain, or of none, is a 404 that looks nothing up', async () => {
    const other = await application().createAccount();
    for (const path of [pathOf(id), pathOf(999_999_999)]) {
      expectErrors(await other.client.get(path), { code: 'not_found' });
      for (let count = 0; count < 11; count++) expectErrors(await other.client.send('POST', path), { code: 'not_found' });
    }
    expectErrors(await other.client.get(`${DOMAINS}/x/verification`), { code: 'invalid_parameter', source: 'path.domain_id' });
    expect(zone.server.questions).toEqual([]);
  });

  test('takes no field, no parameter and no Idempotency-Key, and asks for its scopes', async () => {
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

  test('is looked up at most ten times a minute and account', async () => {
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

  test('is shown pending before it has a row, and made by a look', async () => {
    await deleteVerification(application(), id);
    expect(await readVerification(account, id)).toMatchObject({ status: 'pending', checked: null, problems: [] });
    await setTxt(account, id);
    expect(await check(account, id)).toMatchObject({ status: 'verified' });
  });
});

describe('the token', () => {
  test('is the same for an account and a host, and another for any other', async () => {
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

  test('is base32 of an HMAC of account and host, under the one key', async () => {
    const value = await valueOf();
    const [{ secret }] = await application().rows('stored_keys');
    const key = Buffer.from(application().app.get(SecretsCipher).decrypt(String(secret), 0), 'base64');
    expect(key).toHaveLength(32);
    const digest = createHmac('sha256', key).update(`${account.id}\0${host}`).digest();
    expect(value).toBe(`frontdesk=${base32(digest).slice(0, 32)}`);
  });

  test('of another account doesn’t verify', async () => {
    await setTxt(account, id);
    await account.client.delete(`${DOMAINS}/${id}`).expect(200);
    const other = await application().createAccount();
    const verification = await check(other, await other.client.create(DOMAINS, { host }));
    expect([verification.status, ...codesOf(verification)]).toEqual(['pending', 'txt_differs', 'target_missing']);
  });

  test('is not stored in the clear, nor is its key', async () => {
    const token = (await valueOf()).split('=')[1];
    const [key, ...others] = await application().rows('stored_keys');
    expect(others).toEqual([]);
    expect(key.secret).toMatch(/^[0-9a-f]{8}\.[A-Za-z0-9+/=]+$/);
    await setTxt(account, id);
    await check(account, id);
    expect(JSON.stringify(await application().dump())).not.toContain(token);
  });
});

describe('a verified domain', () => {
  beforeEach(async () => {
    await setTxt(account, id);
    expect(await check(account, id)).toMatchObject({ status: 'verified' });
  });

  test('is pending once its host changes, and after it changes back', async () => {
    await account.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(200);
    expect(await readVerification(account, id)).toMatchObject({ status: 'pending', checked: null, problems: [] });
    await account.client.post(`${DOMAINS}/${id}`, { host }).expect(200);
    expect(await readVerification(account, id)).toMatchObject({ status: 'pending', checked: null });
  });

  test('stays verified when anything else changes, or the host stays', async () => {
    await account.client.post(`${DOMAINS}/${id}`, { host: host.toUpperCase(), custom_index_url: 'https://example.com/' }).expect(200);
    expect(await readVerification(account, id)).toMatchObject({ status: 'verified' });
  });

  test('that is deleted leaves nothing to whoever creates it again', async () => {
    await account.client.delete(`${DOMAINS}/${id}`).expect(200);
    expectErrors(await account.client.get(pathOf(id)), { code: 'not_found' });
    const again = await account.client.create(DOMAINS, { host });
    expect(await readVerification(account, again)).toMatchObject({ status: 'pending', checked: null });
  });

  test('whose host changes while it is looked up gets nothing of what was found', async () => {
    zone.before = async () => {
      zone.before = () => {};
      await account.client.post(`${DOMAINS}/${id}`, { host: newHost() }).expect(200);
    };
    expect(await check(account, id)).toMatchObject({ status: 'pending', checked: null, problems: [] });
    expect(await readVerification(account, id)).toMatchObject({ status: 'pending', checked: null });
  });

  test('that is deleted while it is looked up is a 404', async () => {
    zone.before = async () => {
      zone.before = () => {};
      await account.client.delete(`${DOMAINS}/${id}`).expect(200);
    };
    expectErrors(await account.client.send('POST', pathOf(id)), { code: 'not_found' });
  });
});

describe('the TXT record', () => {
  beforeEach(leadToEdge);

  test('is found beside 99 others, in several strings, with blanks around it', async () => {
    const value = await valueOf();
    const strings = [` \t${value.slice(0, 9)}`, value.slice(9, 20), `${value.slice(20)} `];
    zone.set(txtName(), 'TXT', [...Array.from({ length: 99 }, (_, index) => `another-verification=${index}`), strings]);
    expect(await check(account, id)).toMatchObject({ status: 'verified', problems: [] });
    expect(zone.server.overTcp).toContain(`${txtName()} TXT`);
  });

  test('is found in an answer of 60 KB', async () => {
    zone.set(txtName(), 'TXT', ['x'.repeat(60_000), await valueOf()]);
    expect(await check(account, id)).toMatchObject({ status: 'verified', problems: [] });
  });

  test('is found where CNAMEs lead', async () => {
    zone.set(txtName(), 'CNAME', ['first.delegated.test']).set('first.delegated.test', 'CNAME', ['second.delegated.test']);
    zone.set('second.delegated.test', 'TXT', [await valueOf()]);
    expect(await check(account, id)).toMatchObject({ status: 'verified', problems: [] });
  });

  test.each(['NXDOMAIN', []] as const)('is missing when the answer is %j', async (answer) => {
    zone.set(txtName(), 'TXT', answer);
    const verification = await check(account, id);
    expect(verification.status).toBe('pending');
    expect(verification.problems).toEqual([
      { code: 'txt_missing', detail: `Set a TXT record at ${txtName()} with the value in records; there is none.` },
    ]);
  });

  test.each([
    ['in upper case', (value: string) => value.toUpperCase(), /1 other value was found\. One is right but for its case/],
    ['in quotes', (value: string) => `"${value}"`, /One is right but for the quotes/],
    ['without its beginning', (value: string) => value.slice(10), /1 other value was found\.$/],
    ['with more behind it', (value: string) => `${value}; x`, /1 other value was found\.$/],
  ])('%s differs', async (_, change, detail) => {
    const changed = change(await valueOf());
    zone.set(txtName(), 'TXT', [changed]);
    const verification = await check(account, id);
    expect([verification.status, ...codesOf(verification)]).toEqual(['pending', 'txt_differs']);
    expect(detailOf(verification, 'txt_differs')).toMatch(detail);
    expect(detailOf(verification, 'txt_differs')).not.toContain(changed);
  });

  test('a host too long for the _frontdesk prefix has no TXT record', async () => {
    const label = 'a'.repeat(60);
    const long = `${label}.${label}.${label}.${label}.com`;
    const longId = await account.client.create(DOMAINS, { host: long });
    const verification = await check(account, longId);
    expect(detailOf(verification, 'txt_missing')).toMatch(/^The host is too long/);
  });
});

describe('where the host leads', () => {
  beforeEach(() => setTxt(account, id));

  const found = async () => {
    const verification = await check(account, id);
    expect(verification.status).toBe('verified');
    return verification;
  };

  test('is right by CNAMEs that pass through the target', async () => {
    zone.set(host, 'CNAME', ['Www.CDN.test']).set('www.cdn.test', 'CNAME', [EDGE]).set(EDGE, 'CNAME', ['machine.test']);
    expect(codesOf(await found())).toEqual([]);
  });

  test('is right by the eighth CNAME, and not by the ninth', async () => {
    const names = [host, ...Array.from({ length: 8 }, (_, index) => `cname-${index}.test`)];
    const chain = (length: number) => {
      for (let index = 0; index < length; index++) zone.set(names[index], 'CNAME', [index === length - 1 ? EDGE : names[index + 1]]);
    };
    zone.set(EDGE, 'A', []);
    chain(8);
    expect(codesOf(await found())).toEqual([]);
    chain(9);
    expect(codesOf(await found())).toEqual(['target_differs']);
  });

  test('is right by addresses that are all the target’s', async () => {
    zone.set(EDGE, 'A', ['203.0.113.7', '203.0.113.8']).set(EDGE, 'AAAA', ['2001:db8::7']);
    zone.set(host, 'A', ['203.0.113.8']).set(host, 'AAAA', ['2001:db8:0:0::7']);
    expect(codesOf(await found())).toEqual([]);
    zone.set(host, 'A', ['203.0.113.8', '93.184.216.34']);
    expect(detailOf(await found(), 'target_differs')).toBe(
      `Set a CNAME record at ${host} with the value ${EDGE}; ${host} points elsewhere: 93.184.216.34.`,
    );
  });

  test('reports a host without any address', async () => {
    expect((await found()).problems).toEqual([
      { code: 'target_missing', detail: `Set a CNAME record at ${host} with the value ${EDGE}; no address was found.` },
    ]);
  });

  test('is told when CNAMEs lead elsewhere, or in a circle', async () => {
    zone.set(host, 'CNAME', ['a.test']).set('a.test', 'CNAME', ['b.test']).set('b.test', 'A', ['93.184.216.34']);
    expect(detailOf(await found(), 'target_differs')).toMatch(/points elsewhere: by CNAME to b\.test, 93\.184\.216\.34\.$/);
    zone.set('b.test', 'CNAME', [host]);
    zone.records.delete('b.test A');
    expect(codesOf(await found())).toEqual(['dns_unreachable']); // resolvers give up
  });

  test('shows no CNAME and no TXT value before the TXT record is right, and no address that is not public', async () => {
    zone.set(txtName(), 'TXT', ['a-canary']).set(host, 'CNAME', ['canary.test']);
    zone.set('canary.test', 'A', ['10.11.12.13', '93.184.216.34']);
    const { text } = await account.client.send('POST', pathOf(id)).expect(200);
    expect(text).toContain('93.184.216.34');
    expect(text).not.toMatch(/canary|10\.11\.12\.13/);
  });

  test('is not asked for without EDGE_TARGET', async () => {
    await withApplication({ ...database().env, DNS_SERVERS: zone.server.address }, async (other) => {
      const { body } = await other.client(account.key).post(pathOf(id)).expect(200);
      expect(body).toMatchObject({ data: { status: 'verified', problems: [], records: [{ type: 'TXT' }] } });
    });
    expect(new Set(zone.server.questions)).toEqual(new Set([`${txtName()} TXT`]));
  });

  test('is right by addresses when EDGE_TARGET has them', async () => {
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

describe('a TXT record at the doubled name', () => {
  const doubledName = () => `${txtName()}.example.com`;

  test('is pointed out, without its value', async () => {
    leadToEdge();
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
    ['that no server answers for', 'SERVFAIL'],
    ['that there is none of', 'NXDOMAIN'],
  ])('%s is no hint', async (_, answer) => {
    zone.set(doubledName(), 'TXT', answer);
    expect(detailOf(await check(account, id), 'txt_missing')).toMatch(/; there is none\.$/);
    expect(zone.server.questions).toContain(`${doubledName()} TXT`);
  });

  test('that is not answered in time holds up neither the response nor the other problems', async () => {
    leadToEdge();
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

/** Servers that refuse every packet: with more of them, a silent one is waited for less long. */
const NOBODY = ['127.0.0.1:1', '127.0.0.1:1'];

describe('a name server that fails', () => {
  const second = async (...servers: string[]) => {
    const env = { ...database().env, EDGE_TARGET: EDGE, DNS_SERVERS: [...servers, zone.server.address].join(',') };
    let verification: VerificationBody | undefined;
    await withApplication(env, async (other) => {
      verification = ((await other.client(account.key).post(pathOf(id)).expect(200)).body as { data: VerificationBody }).data;
    });
    return verification!;
  };

  const expectNoAnswer = async (answer: NameAnswer, look = () => check(account, id)) => {
    await setTxt(account, id);
    leadToEdge();
    await check(account, id);
    zone.set(txtName(), 'TXT', answer);
    expect(await look()).toMatchObject({
      status: 'verified',
      problems: [
        { code: 'dns_unreachable', detail: `No name server answered for the TXT record at ${txtName()}. It will be checked again.` },
      ],
    });
  };

  test.each(['SERVFAIL', 'REFUSED', 'FORMERR'] as const)('with %s is no answer, and changes no status', (answer) => expectNoAnswer(answer));
  longTest('with silence, as long as it lasts, is no answer', () => expectNoAnswer(undefined));

  /** Ends a look, which waits for nothing but its TXT record, as its time does. */
  async function lookInVain(): Promise<VerificationBody> {
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

  test('with silence is no answer, and changes no status', () => expectNoAnswer(undefined, lookInVain));

  test('for the address alone doesn’t hold up the verification', async () => {
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
      leadToEdge();
      expect(await second('127.0.0.1:1', first.address)).toMatchObject({ status: 'verified', problems: [] });
      expect(first.questions).toContain(`${txtName()} TXT`);
    } finally {
      await first.close();
    }
  };

  test.each(['SERVFAIL', 'REFUSED'] as const)('with %s is followed by the next', (answer) => expectNext(answer));
  test('with silence is followed by the next', () => expectNext(undefined));

  test('is not followed by the next when it has answered', async () => {
    const first = await NameServer.start(() => 'NXDOMAIN');
    try {
      await setTxt(account, id);
      expect(codesOf(await second(first.address))).toEqual(['txt_missing', 'target_missing']);
      expect(zone.server.questions).toEqual([]);
    } finally {
      await first.close();
    }
  });

  test('to get one packet is asked again', async () => {
    await setTxt(account, id);
    leadToEdge();
    const asked: string[] = [];
    const lossy = await NameServer.start((name, type) => {
      asked.push(type);
      if (asked.filter((each) => each === type).length === 1) return undefined;
      return zone.records.get(`${name} ${type}`) ?? [];
    });
    try {
      await withApplication(
        { ...database().env, EDGE_TARGET: EDGE, DNS_SERVERS: [...(isWhole ? [] : NOBODY), lossy.address].join(',') },
        async (other) => {
          const { body } = await other.client(account.key).post(pathOf(id)).expect(200);
          expect(body).toMatchObject({ data: { status: 'verified', problems: [] } });
        },
      );
    } finally {
      await lossy.close();
    }
  });

  test('holds no place in admission and no connection meanwhile', async () => {
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
      const looking = other
        .client(account.key)
        .post(pathOf(id))
        .then((response) => response);
      await asked;
      await other.client(account.key).get(`${DOMAINS}/${id}`).expect(200);
      answer();
      expect((await looking).status).toBe(200);
    });
  });
});
