/** @mysql whole */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Response } from 'supertest';
import type * as Console from '../../src/platform/http/server/console';
import { useApplication } from '../support/http/application';
import { expectErrors } from '../support/http/errors';

/** A small stand-in for the build, which other tests run in a browser. */
function mockBuild(): string {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-console-'));
  mkdirSync(join(folder, 'console', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'a file beside the console');
  writeFileSync(join(folder, 'console', '.hidden.js'), 'hidden');
  writeFileSync(join(folder, 'console', 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'console', 'assets', 'index-B1.js'), 'export {};');
  writeFileSync(join(folder, 'console', 'index.html'), '<script type="module" src="./assets/index-B1.js"></script>');
  return folder;
}

const mockFolder = mockBuild();
let mockConsole = join(mockFolder, 'console');

jest.mock('../../src/platform/http/server/console', () => {
  const { serveConsole } = jest.requireActual<typeof Console>('../../src/platform/http/server/console');
  return { serveConsole: (app: Parameters<typeof serveConsole>[0]) => serveConsole(app, mockConsole) };
});

afterAll(() => rmSync(mockFolder, { recursive: true }));

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const INERT = "sandbox; default-src 'none'";
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const PAGE = '/console/';
const ASSET = '/console/assets/index-B1.js';

function expectOfConsole({ headers }: Response, caching: string): void {
  expect(headers).toMatchObject({
    'cache-control': caching,
    'content-security-policy': CSP,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  expect(headers['set-cookie']).toBeUndefined();
}

describe('the console', () => {
  const { application } = useApplication();
  const get = (path: string, headers: Record<string, string> = {}) => application().client().get(path).set(headers);

  test('the page requires no key, and caches must revalidate it', async () => {
    const page = await get(PAGE).expect(200).expect('Content-Type', 'text/html; charset=utf-8');
    expect(page.text).toContain('src="./assets/index-B1.js"');
    expectOfConsole(page, 'no-cache');
    const unchanged = await get(PAGE, { 'If-None-Match': page.headers.etag }).expect(304);
    expectOfConsole(unchanged, 'no-cache');
    await get(PAGE, { 'If-None-Match': '"other"' }).expect(200);
  });

  test('assets are immutable, and caches must revalidate other files', async () => {
    const asset = await get(ASSET)
      .expect(200)
      .expect('Content-Type', /^text\/javascript/);
    expect(asset.text).toBe('export {};');
    expectOfConsole(asset, 'public, max-age=31536000, immutable');
    expectOfConsole(await get('/console/favicon.svg').expect(200).expect('Content-Type', /svg/), 'no-cache');
    await get(ASSET, { 'If-None-Match': asset.headers.etag }).expect(304);
    await get(ASSET, { 'If-Match': '"other"' }).expect(412);
  });

  test.each([
    ['/console/domains', './assets'],
    ['/console/domains?host=a.b&page=2', './assets'],
    ['/console/domains/', '../assets'],
    ['/console/domains/7', '../assets'],
    ['/console/messages/7/deliveries', '../../assets'],
    ['/console/assets', './assets'],
    ['/console/%E0', './assets'],
  ])('%s returns the page with its files at %s', async (path, assets) => {
    const page = await get(path).expect(200);
    expect(page.text).toBe(`<script type="module" src="${assets}/index-B1.js"></script>`);
    expectOfConsole(page, 'no-cache');
  });

  test('HEAD returns the headers of GET', async () => {
    for (const path of [PAGE, '/console/domains/7', ASSET, '/console', '/console/nothing.js']) {
      const [answer, head] = [await get(path), await application().client().send('HEAD', path)];
      const same = ['content-length', 'etag', 'cache-control', 'content-security-policy', 'location'];
      expect([head.status, ...same.map((name) => head.headers[name])]).toEqual([
        answer.status,
        ...same.map((name) => answer.headers[name]),
      ]);
      expect(head.text ?? '').toBe('');
    }
  });

  test('/console redirects to /console/, whatever the Host', async () => {
    const { headers } = await get('/console', { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' }).expect(302);
    expect(headers.location).toBe('console/');
  });

  test('/ redirects browsers to the console, and returns 404 to other clients', async () => {
    for (const accept of [BROWSER, 'text/html']) {
      const { headers } = await get('/', { Accept: accept, Host: 'evil.example' }).expect(302);
      expect(headers.location).toBe('console/');
    }
    for (const accept of ['*/*', 'application/json', 'application/json, text/html', 'text/html;q=0, */*', '']) {
      expectErrors(await get('/', { Accept: accept }), { code: 'not_found' });
    }
    expectErrors(await get('/'), { code: 'not_found' });
    expectErrors(await application().client().post('/').set('Accept', BROWSER), { code: 'not_found' });
  });

  test.each([
    '/console/nothing.js',
    '/console/assets/index-B2.js',
    '/console/assets/../../secret.txt',
    '/console/..%2fsecret.txt',
    '/console/%2e%2e%2fsecret.txt',
    '/console/..%5csecret.txt',
    '/console/assets/%00.js',
    '/console/.hidden.js',
    '/console//',
    '/console//evil.example/',
    '/console/1/2/3/4/5/6/7/8/9',
    '/Console/',
    '/consoles',
    '/console.html',
  ])('%s returns 404 in the documented format', async (path) => {
    const answer = await get(path);
    expectErrors(answer, { code: 'not_found' });
    expect(answer.headers).toMatchObject({ 'content-security-policy': INERT, 'cache-control': 'no-store' });
  });

  test.each([PAGE, ASSET, '/console', '/console/nothing.js'])('%s returns 405 for other methods', async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      const answer = await application().client().send(method, path);
      expectErrors(answer, { code: 'method_not_allowed' });
      expect(answer.headers).toMatchObject({ allow: 'GET, HEAD', 'content-security-policy': INERT });
    }
  });

  test('every response but the page and its files has a CSP that makes it inert', async () => {
    const { client } = await application().createAccount();
    const created = await client.post('/api/domains', { host: 'inert.example.com' }).expect(201);
    const answers = [
      created,
      await client.get('/api/domains'),
      await get('/api/domains'),
      await get('/nothing'),
      await get('/openapi.json'),
    ];
    for (const { headers } of [
      ...answers,
      await get('/health/live'),
      await get('/console'),
      await client.get('/scheduling?api=servicos'),
    ]) {
      expect(headers).toMatchObject({ 'content-security-policy': INERT, 'x-content-type-options': 'nosniff' });
    }
  });
});

describe('the console before it is built', () => {
  beforeAll(() => (mockConsole = join(mockFolder, 'nothing')));
  const { application } = useApplication();

  test('returns 404 with the reason, and the API works', async () => {
    for (const path of [PAGE, '/console', ASSET]) {
      expectErrors(await application().client().get(path), { code: 'not_found', detail: /^The console is not built: / });
    }
    await application().client().get('/health/ready').expect(200);
  });
});

describe('CONSOLE=off', () => {
  beforeAll(() => (mockConsole = join(mockFolder, 'console')));
  const { application } = useApplication({ CONSOLE: 'off' });

  test('disables every route of the console', async () => {
    for (const path of [PAGE, '/console', ASSET, '/console/domains', '/']) {
      expectErrors(await application().client().get(path).set('Accept', BROWSER), {
        code: 'not_found',
        detail: 'There is nothing at this path.',
      });
    }
    expectErrors(await application().client().post(PAGE), { code: 'not_found' });
  });
});
