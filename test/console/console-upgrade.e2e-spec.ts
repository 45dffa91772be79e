/** @mysql never */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { describeInBrowser } from '../support/http/browser';
import { until } from '../support/jest/clock';
import { useConsole } from '../support/http/console';
import { longTestOnce } from '../support/jest/size';

const BUILT = join(__dirname, '../../dist/console');
const TYPES: Record<string, string> = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/** A build's page, and its files by name. */
interface Build {
  page: string;
  files: Map<string, string>;
}

function readBuild(): Build {
  const names = readdirSync(join(BUILT, 'assets'));
  const files = new Map(names.map((name) => [name, readFileSync(join(BUILT, 'assets', name), 'utf8')]));
  return { page: readFileSync(join(BUILT, 'index.html'), 'utf8'), files };
}

/** The same build with other hashes in all file names, as in the next version. */
function nextBuild({ page, files }: Build): Build {
  const names = [...files.keys()];
  const renamed = (name: string) => name.replace(/-[^-.]{4}/, '-NEXT');
  const inNew = (text: string) => names.reduce((changed, name) => changed.replaceAll(name, renamed(name)), text);
  return { page: inNew(page), files: new Map([...files].map(([name, text]) => [renamed(name), inNew(text)])) };
}

/** Serves the console as the service would, from a build that can be replaced. */
async function serve(context: BrowserContext, first: Build): Promise<{ replace(build: Build): void }> {
  let build = first;
  await context.route(/\/console\//, async (route) => {
    const name = basename(new URL(route.request().url()).pathname);
    if (!name.includes('.')) return route.fulfill({ contentType: 'text/html', body: withDepth(build.page, route.request().url()) });
    const body = build.files.get(name);
    if (body === undefined) return route.fulfill({ status: 404, body: 'There is nothing at this path.' });
    return route.fulfill({ contentType: TYPES[name.split('.').pop()!], body });
  });
  return { replace: (next) => void (build = next) };
}

/** The page's links are relative to `/console/`. */
function withDepth(page: string, url: string): string {
  const depth = new URL(url).pathname.split('/').length - 3;
  return depth === 0 ? page : page.replaceAll('="./', `="${'../'.repeat(depth)}`);
}

describeInBrowser('an open tab', () => {
  const { sandbox, openWindow } = useConsole();

  test('loads the next version on the next click, even if its old files are gone', async () => {
    const { key } = await sandbox().account();
    const window = await openWindow();
    const { page } = window;
    const first = readBuild();
    const service = await serve(page.context(), first);
    await window.signIn(key);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    service.replace(nextBuild(first));
    await page.getByRole('link', { name: 'Handlers', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Handlers' }).waitFor();
    expect(page.url()).toBe(`${sandbox().url}/console/handlers`);
    await until(
      () => page.content(),
      (html) => html.includes('-NEXT'),
    );
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
  });

  longTestOnce('keeps its menu when a page fails to load, and can load it later', async () => {
    const { key } = await sandbox().account();
    const window = await openWindow();
    const { page } = window;
    await window.signIn(key);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.context().route(/domains-page-/, (route) => route.abort());
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.getByText('This page couldn’t be loaded.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.getByRole('link', { name: 'Handlers', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Handlers' }).waitFor();
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.getByText('This page couldn’t be loaded.').waitFor();
    await page.context().unroute(/domains-page-/);
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
  });

  longTestOnce('every tab reports a lost connection, but not a 500, and reloads its data afterwards', async () => {
    const account = await sandbox().account();
    const window = await openWindow();
    const { page } = window;
    await window.signIn(account.key, '/domains');
    await page.getByText('No domains yet').waitFor();
    const tab = await window.openTab();
    await tab.signIn(account.key, '/handlers');
    const both = [page, tab.page];
    const fail = (status: number) => page.context().route(/\/api\//, (route) => route.fulfill({ status, body: '{}' }));
    await fail(500);
    await page.waitForResponse((response) => response.url().includes('/api/events') && response.status() === 500);
    expect(await page.getByText('Connection lost').count()).toBe(0);
    await page.context().unroute(/\/api\//);
    await fail(502);
    for (const each of both) await each.getByText('Connection lost').waitFor();
    await page.context().unroute(/\/api\//);
    for (const each of both) await each.getByText('Connection lost').waitFor({ state: 'detached' });
    await page.getByText('No domains yet').waitFor();
  });
});
