/** @mysql whole */
import { timestamp } from '../../src/platform/common/time';
import { DomainsService } from '../../src/domains/domains.service';
import type { TestAccount } from '../support/http/application';
import { PUBLIC_URL, useApplication } from '../support/http/application';
import { untilServed } from '../support/http/client';
import { expectErrors } from '../support/http/errors';
import { DOMAINS, newHost } from '../support/areas/records';

const { application } = useApplication();
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
});

interface DomainBody {
  id: number;
  scheme: string;
  host: string;
  custom_index_url: string;
  is_enabled: boolean;
  last_datetime: string | null;
  datetime: string;
}

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

async function read(id: number): Promise<DomainBody> {
  const response = await account.client.get(`${DOMAINS}/${id}`).expect(200);
  return (response.body as { data: DomainBody }).data;
}

/** The stored row, including columns that no record shows. */
async function stored(id: number): Promise<Record<string, unknown>> {
  return (await application().rows('domains')).find((row) => row.id === id)!;
}

type Form = Record<string, string>;
const create = (fields: Form = {}) => account.client.create(DOMAINS, { host: newHost(), ...fields });

describe('POST /api/domains', () => {
  test('returns the id and URL of the new domain', async () => {
    const response = await account.client.post(DOMAINS, { host: newHost() });
    expect(response.status).toBe(201);
    const { id } = (response.body as { data: { id: number } }).data;
    expect(response.text).toBe(`{"data":{"id":${id}}}`);
    expect(response.headers.location).toBe(`${PUBLIC_URL}/api/domains/${id}`);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('a new domain has its fields in the documented order', async () => {
    const [host, started] = [newHost(), timestamp(Date.now())];
    const id = await create({ host, custom_index_url: 'https://example.com/a', custom_not_found_url: 'https://example.com/lost' });
    const { datetime } = await read(id);
    expect((await account.client.get(`${DOMAINS}/${id}`)).text).toBe(
      `{"data":{"id":${id},"scheme":"https://","host":"${host}","custom_index_url":"https://example.com/a","is_enabled":true,` +
        `"last_datetime":null,"datetime":"${datetime}"}}`,
    );
    expect(datetime).toMatch(TIME);
    expect([started <= datetime, datetime <= timestamp(Date.now())]).toEqual([true, true]);
  });

  test('stores custom_not_found_url, which the record omits', async () => {
    const id = await create({ custom_not_found_url: 'https://example.com/lost' });
    expect(await stored(id)).toMatchObject({ custom_not_found_url: 'https://example.com/lost' });
    expect(await read(id)).not.toHaveProperty('custom_not_found_url');
  });

  test.each(['https://', 'http://'])('accepts the scheme %s', async (scheme) => {
    expect((await read(await create({ scheme }))).scheme).toBe(scheme);
  });

  test.each(['https', 'https:', 'HTTPS://', 'ftp://', '//', ''])('rejects the scheme %j', async (scheme) => {
    const response = await account.client.post(DOMAINS, { host: newHost(), scheme });
    expectErrors(response, { code: 'invalid_parameter', source: 'form.scheme' });
  });
});

describe('host', () => {
  const label = 'a'.repeat(63);
  const longest = `${label}.${label}.${label}.${'b'.repeat(61)}`;

  test.each([
    ['UPPER.Example.COM', 'upper.example.com'],
    ['dotted.example.com.', 'dotted.example.com'],
    ['two.labels', 'two.labels'],
    ['a-b.c--d.example', 'a-b.c--d.example'],
    ['1.2.3.example', '1.2.3.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example.org', 'xn--bcher-kva.example.org'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['xn--bcher-kva.example.net', 'xn--bcher-kva.example.net'],
    [longest, longest],
  ])('the host %s is stored as %s', async (given, kept) => {
    expect(kept.length).toBeLessThanOrEqual(253);
    expect((await read(await create({ host: given }))).host).toBe(kept);
  });

  test.each([
    'localhost',
    'example',
    '.example.com',
    'a..example.com',
    'example.com..',
    '.',
    'https://example.com',
    '//example.com',
    'example.com/',
    'example.com/path',
    'example.com:443',
    'example.com?x',
    'example.com#x',
    'user@example.com',
    'a b.example.com',
    'a_b.example.com',
    '_dmarc.example.com',
    '-a.example.com',
    'a-.example.com',
    '*.example.com',
    '127.0.0.1',
    '1.2.3.4.',
    '0x7f.1',
    '１２７.０.０.１',
    '127.1',
    '[::1]',
    '::1',
    '2001:db8::1',
    'a%2eb.example.com',
    'a\\b.example.com',
    'a\u0000b.example.com',
    'a\u00adb.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${longest}c`,
    `${'é'.repeat(60)}.example.com`,
    `${'ü.'.repeat(40)}example.com`.repeat(2),
    'xn--.example.com',
    'xn--a.example.com',
    "a'b.example.com",
    '<script>.example.com',
    '例え。',
    'host',
  ])('rejects the host %j', async (host) => {
    expectErrors(await account.client.post(DOMAINS, { host }), { code: 'invalid_parameter', source: 'form.host' });
  });

  test('a host is unique across accounts, regardless of spelling', async () => {
    const host = newHost();
    await create({ host });
    const other = await application().createAccount();
    for (const { client } of [account, other]) {
      for (const spelling of [host, host.toUpperCase(), `${host}.`]) {
        expectErrors(await client.post(DOMAINS, { host: spelling }), { code: 'host_taken', source: 'form.host' });
      }
    }
    const id = await create();
    const before = await read(id);
    expectErrors(await account.client.post(`${DOMAINS}/${id}`, { host, custom_index_url: 'https://example.com' }), {
      code: 'host_taken',
      source: 'form.host',
    });
    expect(await read(id)).toEqual(before);
  });

  test('a host can be reused once its domain is deleted', async () => {
    const host = newHost();
    await account.client.delete(`${DOMAINS}/${await create({ host })}`).expect(200);
    await create({ host });
  });

  test('fifty concurrent creates of a host create one domain', async () => {
    const host = newHost();
    const before = (await application().rows('domains')).length;
    const answers = await Promise.all(Array.from({ length: 50 }, () => untilServed(() => account.client.post(DOMAINS, { host }))));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array<number>(49).fill(409)]);
    for (const answer of answers.filter(({ status }) => status === 409)) expectErrors(answer, { code: 'host_taken', source: 'form.host' });
    expect((await application().rows('domains')).length).toBe(before + 1);
  });

  test('fifty concurrent updates to one host change one domain', async () => {
    const ids: number[] = [];
    while (ids.length < 50) ids.push(await create());
    const host = newHost();
    const answers = await Promise.all(ids.map((id) => untilServed(() => account.client.post(`${DOMAINS}/${id}`, { host }))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
  });
});

describe.each(['custom_index_url', 'custom_not_found_url'])('%s', (field) => {
  test.each([
    'http://example.com',
    'https://example.com:8443/a/b?c=d&e=%20#f',
    'HTTPS://EXAMPLE.COM/',
    'https://exämple.com/päth?q=ü',
    'http://127.0.0.1/',
    'http://[::1]:3000/',
  ])('accepts the URL %s', async (url) => {
    const id = await create({ [field]: url });
    expect(await stored(id)).toMatchObject({ [field]: url });
  });

  test.each([
    'example.com',
    '/path',
    '//example.com/',
    'ftp://example.com/',
    'javascript:alert(1)',
    'data:text/html,x',
    'https:example.com',
    'https:/example.com',
    'https://',
    'https:///path',
    'https://?x',
    'https://user@example.com/',
    'https://user:password@example.com/',
    'https://:@example.com/',
    'https://exa mple.com/',
    'https://example.com/a b',
    'https://example.com\\a',
    'https://example.com/\u0000',
    'https://example.com:99999/',
    'https://[::1/',
  ])('rejects the URL %j', async (url) => {
    expectErrors(await account.client.post(DOMAINS, { host: newHost(), [field]: url }), {
      code: 'invalid_parameter',
      source: `form.${field}`,
    });
  });

  test.each(['a', '💈'])('accepts a URL of 2,048 characters, such as %s', async (character) => {
    const base = 'https://example.com/';
    const url = base + character.repeat(2048 - base.length);
    expect(await stored(await create({ [field]: url }))).toMatchObject({ [field]: url });
    expectErrors(await account.client.post(DOMAINS, { host: newHost(), [field]: url + 'a' }), {
      code: 'invalid_parameter',
      source: `form.${field}`,
    });
  });
});

describe('POST /api/domains/:domain_id', () => {
  test('changes only the given fields and last_datetime', async () => {
    const id = await create({ custom_index_url: 'https://example.com/1', custom_not_found_url: 'https://example.com/2' });
    const before = await stored(id);
    const response = await account.client.post(`${DOMAINS}/${id}`, { custom_index_url: 'https://example.com/3' });
    expect([response.status, response.text]).toEqual([200, `{"data":{"id":${id}}}`]);
    expect(response.headers.location).toBeUndefined();
    const after = await stored(id);
    expect(after).toEqual({ ...before, custom_index_url: 'https://example.com/3', last_datetime: after.last_datetime });
    expect((await read(id)).last_datetime).toMatch(TIME);
  });

  test('advances last_datetime on each update', async () => {
    const id = await create();
    await application().dataSource.query("UPDATE domains SET last_datetime = '2020-01-01 00:00:00' WHERE id = ?", [id]);
    await account.client.post(`${DOMAINS}/${id}`, { scheme: 'http://' }).expect(200);
    expect(((await read(id)).last_datetime ?? '') > '2026').toBe(true);
  });

  test('an update accepts every field', async () => {
    const id = await create();
    const host = newHost();
    const urls = { custom_index_url: 'https://example.com/1', custom_not_found_url: 'https://example.com/2' };
    await account.client.post(`${DOMAINS}/${id}`, { host: `${host}.`, scheme: 'http://', ...urls }).expect(200);
    expect(await stored(id)).toMatchObject({ host, scheme: 'http://', ...urls });
  });

  test('clears an optional field with an empty string', async () => {
    const id = await create({ custom_index_url: 'https://example.com/1', custom_not_found_url: 'https://example.com/2' });
    await account.client.post(`${DOMAINS}/${id}`, { custom_index_url: '', custom_not_found_url: ' ' }).expect(200);
    expect(await stored(id)).toMatchObject({ custom_index_url: '', custom_not_found_url: '' });
  });

  test('rejects an empty host', async () => {
    const id = await create();
    for (const host of ['', '  ']) {
      expectErrors(await account.client.post(`${DOMAINS}/${id}`, { host }), { code: 'invalid_parameter', source: 'form.host' });
    }
  });

  test('accepts the domain’s own host', async () => {
    const host = newHost();
    const id = await create({ host });
    await account.client.post(`${DOMAINS}/${id}`, { host }).expect(200);
  });

  test('an update without fields changes nothing', async () => {
    const id = await create();
    const before = await stored(id);
    const response = await account.client.post(`${DOMAINS}/${id}`);
    expect([response.status, response.text]).toEqual([200, `{"data":{"id":${id}}}`]);
    expect(await stored(id)).toEqual(before);
  });

  test('rejects is_enabled', async () => {
    const id = await create();
    const response = await account.client.post(`${DOMAINS}/${id}`, { is_enabled: '0' });
    expectErrors(response, { code: 'unknown_parameter', source: 'form.is_enabled' });
  });

  test.each<Form>([{}, { scheme: 'http://' }])('returns 404 for an unknown domain with the fields %j', async (fields) => {
    expectErrors(await account.client.post(`${DOMAINS}/999999`, fields), { code: 'not_found' });
  });
});

test('disabling and enabling a domain advances last_datetime', async () => {
  const id = await create();
  const domains = application().app.get(DomainsService);
  await domains.setEnabled(id, false);
  const disabled = await read(id);
  expect(disabled.is_enabled).toBe(false);
  expect(disabled.last_datetime).toMatch(TIME);
  await application().dataSource.query("UPDATE domains SET last_datetime = '2020-01-01 00:00:00' WHERE id = ?", [id]);
  await domains.setEnabled(id, true);
  const enabled = await read(id);
  expect(enabled.is_enabled).toBe(true);
  expect((enabled.last_datetime ?? '') > '2026').toBe(true);
});

test('a deleted domain returns 404, also when deleted again', async () => {
  const id = await create();
  const response = await account.client.delete(`${DOMAINS}/${id}`);
  expect([response.status, response.text]).toEqual([200, `{"data":{"id":${id}}}`]);
  expectErrors(await account.client.get(`${DOMAINS}/${id}`), { code: 'not_found' });
  expectErrors(await account.client.delete(`${DOMAINS}/${id}`), { code: 'not_found' });
  expect(await stored(id)).toBeUndefined();
});

test('ids of deleted domains are not reused', async () => {
  const id = await create();
  await account.client.delete(`${DOMAINS}/${id}`).expect(200);
  expect(await create()).toBeGreaterThan(id);
});

describe('GET /api/domains/:domain_id/settings', () => {
  const urls = { custom_index_url: 'https://example.com/welcome', custom_not_found_url: 'https://example.com/lost' };

  test('returns both URLs, empty when unset', async () => {
    for (const [fields, expected] of [
      [urls, urls],
      [{}, { custom_index_url: '', custom_not_found_url: '' }],
    ]) {
      const response = await account.client.get(`${DOMAINS}/${await create(fields as Form)}/settings`).expect(200);
      expect(response.text).toBe(JSON.stringify({ data: expected }));
    }
  });

  test('returns the domain’s ETag, which an update accepts', async () => {
    const id = await create(urls);
    const { etag } = (await account.client.get(`${DOMAINS}/${id}/settings`)).headers as { etag: string };
    expect((await account.client.get(`${DOMAINS}/${id}`)).headers.etag).toBe(etag);
    await account.client.get(`${DOMAINS}/${id}/settings`).set('If-None-Match', etag).expect(304);
    const update = () => account.client.post(`${DOMAINS}/${id}`, { custom_not_found_url: '' }).set('If-Match', etag);
    await update().expect(200);
    expectErrors(await update(), { code: 'precondition_failed', source: 'header.If-Match' });
    const { body } = await account.client.get(`${DOMAINS}/${id}/settings`).set('If-None-Match', etag).expect(200);
    expect(body).toEqual({ data: { ...urls, custom_not_found_url: '' } });
  });

  test('requires the domain’s account and domains:read', async () => {
    const id = await create();
    const other = await application().createAccount();
    expectErrors(await other.client.get(`${DOMAINS}/${id}/settings`), { code: 'not_found' });
    const { client } = await application().createKey(account.id, { scopes: ['domains:write'] });
    expectErrors(await client.get(`${DOMAINS}/${id}/settings`), { code: 'insufficient_scope', source: 'header.Authorization' });
  });
});
