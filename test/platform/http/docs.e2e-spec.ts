/** @mysql whole */
import type { Browser } from 'playwright-core';
import { CHANNEL_TYPES } from '../../../src/notification-handlers/channel-settings';
import { type TestAccount, useApplication } from '../../support/http/application';
import { describeInBrowser, launchBrowser } from '../../support/http/browser';
import { expectErrors } from '../../support/http/errors';
import { DOMAINS, newHost } from '../../support/areas/records';
import { longTestOnce } from '../../support/jest/size';

const PUBLIC_ORIGIN = 'http://frontdesk.test';

const { application } = useApplication({ PUBLIC_URL: PUBLIC_ORIGIN });

describe('the routes of the docs', () => {
  const PAGE = ['/docs', '/docs/'];
  const LOADED = ['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui-init.js', '/docs/favicon-32x32.png'];

  test.each([...PAGE, ...LOADED, '/openapi.json', '/openapi.json/'])(
    '%s responds to GET and HEAD without a key, and to no other method',
    async (path) => {
      const get = await application().client().get(path).expect(200);
      const head = await application().client().send('HEAD', path).expect(200);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);

      const post = await application().client().post(path);
      expectErrors(post, { code: 'method_not_allowed' });
      expect(post.headers.allow).toBe('GET, HEAD');
    },
  );

  test.each([...PAGE, ...LOADED])('%s has a Content-Security-Policy that allows only this origin', async (path) => {
    const { headers } = await application().client().get(path);
    expect(headers['content-security-policy']).toMatch(/^default-src 'self';/);
    expect(headers['content-security-policy']).not.toMatch(/https?:|\*|script-src|unsafe-eval/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test.each([
    '/docs/nothing',
    '/docs/index.html',
    '/docs/package.json',
    '/docs/swagger-ui.css/',
    '/docs//',
    '/docs/%E0',
    '/Docs',
    '/docs-json',
  ])('%s returns 404', async (path) => {
    expectErrors(await application().client().get(path), { code: 'not_found' });
  });
});

describeInBrowser('the docs page', () => {
  let browser: Browser;
  let account: TestAccount;

  /** Every host name resolves to this application. */
  beforeAll(async () => {
    account = await application().createAccount();
    browser = await launchBrowser(`--host-resolver-rules=MAP * 127.0.0.1:${application().port}`);
  });

  afterAll(() => browser?.close());

  longTestOnce('shows an operation on the first screen, and expands the error table on demand', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    await page.goto(`${PUBLIC_ORIGIN}/docs`);
    const operation = page.locator('.opblock').first();
    await operation.waitFor();
    const { y, height } = (await operation.boundingBox())!;
    expect(y + height).toBeLessThan(720);

    const errors = page.locator('.info table');
    expect(await errors.isVisible()).toBe(false);
    await page.getByText('Errors', { exact: true }).first().click();
    expect(await errors.isVisible()).toBe(true);
    expect(await errors.innerText()).toContain('insufficient_scope');
  });

  longTestOnce('shows an example body for each handler type', async () => {
    const page = await browser.newPage();
    await page.goto(`${PUBLIC_ORIGIN}/docs`);
    const operation = page.locator('.opblock', { hasText: 'Create a notification handler' }).first();
    await operation.locator('.opblock-summary-control').click();
    const choice = operation.locator('.opblock-section-request-body .examples-select-element');
    await choice.waitFor();
    expect(await choice.locator('option').allInnerTexts()).toHaveLength(CHANNEL_TYPES.length);
  });

  longTestOnce.each([PUBLIC_ORIGIN, 'http://192.0.2.7:3000'])(
    'sends GET /api/domains with a key and shows the response, opened at %s',
    async (origin) => {
      const host = newHost();
      await account.client.create(DOMAINS, { host });
      const page = await browser.newPage();
      page.setDefaultTimeout(0); // jest's own is enough
      const requested: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));

      await page.goto(`${origin}/docs`);
      await page.getByRole('button', { name: 'Authorize' }).click();
      const dialog = page.locator('.auth-container');
      await dialog.getByRole('textbox').fill(account.key);
      await dialog.getByRole('button', { name: 'Apply credentials' }).click();
      await dialog.getByRole('button', { name: 'Close' }).click();

      const operation = page.locator('.opblock', { hasText: 'List domains' });
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      const answer = operation.locator('.live-responses-table .response');
      await answer.waitFor();

      expect(await answer.locator('.response-col_status').innerText()).toBe('200');
      expect(await answer.innerText()).toContain(`"host": "${host}"`);
      expect(requested).toContain(`${origin}/api/domains?page=1&results_per_page=25&orderby=id&sort=asc`);
      expect(requested.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );
});
