import type { Browser } from 'playwright-core';
import { DataSource } from 'typeorm';
import { insertDemoScheduling } from '../src/demo/demo-records';
import { Campaign, Notification } from '../src/notifications/notification.entity';
import { type Sandbox, startSandbox } from '../src/testing';
import type { SandboxAccount } from '../src/testing';
import { describeInBrowser, launchBrowser } from './support/browser';
import { ConsoleWindow, DESK, type Device, DEVICES } from './support/console';
import { onMysql } from './support/database';
import { inTurn } from './support/size';

const SCRIPT = '<img src=x onerror="document.title=\'broken\'">';
const PATHS = [
  ...['/', '/domains', '/domains/new', '/domains/1', '/domains/1/edit'],
  ...['/handlers', '/handlers/new', '/handlers/1', '/handlers/1/edit', '/messages', '/messages/new', '/messages/1'],
  ...['/deliveries', '/deliveries/1', '/notifications', '/notifications/1', '/events', '/keys'],
  ...['/scheduling', '/scheduling/day', '/scheduling/list', '/scheduling/attendants', '/scheduling/services', '/scheduling/slots'],
];

describeInBrowser('the console', () => {
  let sandbox: Sandbox;
  let browser: Browser;
  let windows: ConsoleWindow[];

  beforeAll(async () => {
    sandbox = await startSandbox({ database: onMysql ? process.env.TEST_MYSQL_URL! : 'sqlite' });
    browser = await launchBrowser();
    await fill({ id: 1, name: 'sandbox', key: sandbox.key });
  });
  beforeEach(() => (windows = []));
  afterEach(() => Promise.all(windows.map((each) => each.close())));
  afterAll(async () => {
    await browser?.close();
    await sandbox?.stop();
  });

  async function openWindow(device: Device = DESK): Promise<ConsoleWindow> {
    const opened = await ConsoleWindow.open(browser, sandbox.url, device);
    windows.push(opened);
    return opened;
  }

  async function post(account: SandboxAccount, path: string, form: Record<string, string>): Promise<number> {
    const headers = { Authorization: `Bearer ${account.key}` };
    const response = await fetch(`${sandbox.url}${path}`, { method: 'POST', headers, body: new URLSearchParams(form) });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return ((await response.json()) as { data: { id: number } }).data.id;
  }

  /** A record of each kind, with callers' texts that would run if they were taken for markup. */
  async function fill(account: SandboxAccount): Promise<void> {
    await post(account, '/api/domains', { host: 'shop.example.com', custom_index_url: 'https://example.com/shop' });
    const handler = await post(account, '/api/notification-handlers', {
      name: SCRIPT,
      type: 'webhook',
      webhook: 'https://hooks.example.com/1',
    });
    sandbox.answer({ handler_id: handler, answers: [{ status: 410 }] });
    await post(account, '/api/messages', { title: SCRIPT, text: SCRIPT, handler_ids: String(handler) });
    await sandbox.settle(account);
    const { manager } = sandbox.get(DataSource);
    const common = { account_id: account.id, is_enabled: true, datetime: '2026-11-20 10:00:00' };
    const campaign = { ...common, name: SCRIPT };
    await manager.insert(Campaign, campaign);
    const settings = { title: SCRIPT, display_position: 'top_right', display_duration: 5 };
    const links = { campaign_id: (campaign as { id?: number }).id!, notification_key: 'a'.repeat(32) };
    await manager.insert(Notification, { ...common, ...links, name: SCRIPT, type: 'INFORMATIONAL', settings });
    await insertDemoScheduling(manager, account.id, sandbox.now.getTime());
  }

  const devices = onMysql ? [DESK] : DEVICES;
  const cases = PATHS.flatMap((path, index) => inTurn(devices, index).map((device) => ({ path, ...device })));

  test.each(cases)('$path in $language, $colors, $width pixels wide: accessible, whole, and without a complaint', async (of) => {
    const window = await openWindow(of);
    await window.signIn(sandbox.key, of.path);
    expect(await window.page.locator('main h1').innerText()).not.toMatch(/not found|não encontrada/);
    expect(await window.violations()).toEqual([]);
    expect(await window.overflow()).toBe(0);
    expect(window.complaints).toEqual([]);
    expect(window.requested.filter((url) => !url.startsWith(`${sandbox.url}/`))).toEqual([]);
    expect(window.requested.filter((url) => url.includes(sandbox.key))).toEqual([]);
    expect(await window.page.title()).not.toBe('broken');
  });

  test('a wrong key is refused at its field, once; a right one leads to the address that was asked for', async () => {
    const window = await openWindow();
    await window.goTo('/domains/1');
    const { page } = window;
    await page.getByLabel('API key').fill(`${sandbox.key.slice(0, -1)}!`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key is not valid').waitFor();
    expect(window.requested.filter((url) => url.startsWith(`${sandbox.url}/api/`))).toHaveLength(1);
    await page.getByLabel('API key').fill(sandbox.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'shop.example.com' }).waitFor();
  });

  test('the menu has what the key’s scopes let it see', async () => {
    const { key } = await sandbox.account({ scopes: ['domains:read', 'scheduling:read'] });
    const window = await openWindow();
    await window.signIn(key, '/domains');
    const menu = window.page.getByRole('navigation', { name: 'Main menu' });
    expect(await menu.getByRole('link').allInnerTexts()).toEqual(['Overview', 'Domains', 'Scheduling', 'Keys']);
    expect(await window.page.getByRole('link', { name: 'Add domain' }).count()).toBe(0);
  });

  test('a domain is added, its records are shown, and its verification shows by itself', async () => {
    const account = await sandbox.account();
    const window = await openWindow();
    await window.signIn(account.key, '/domains');
    const { page } = window;
    await page.getByRole('link', { name: 'Add domain' }).first().click();
    await page.getByLabel('Host').fill('https://bad');
    await page.getByRole('button', { name: 'Save' }).click();
    const host = page.getByLabel('Host');
    await page.locator('input[name="host"][aria-invalid="true"]:focus').waitFor();
    expect(await host.inputValue()).toBe('https://bad'); // nothing typed is lost
    await host.fill('www.example.org');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'www.example.org' }).waitFor();
    await page.getByText('Waiting for DNS').first().waitFor();
    const value = await page.getByText(/^frontdesk=/).innerText();
    expect(value).toMatch(/^frontdesk=[a-z2-7]{32}$/);
    sandbox.dns('_frontdesk.www.example.org', { type: 'TXT', values: [value] });
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('Verified', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete www.example.org?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No domains yet' }).waitFor();
  });

  test('what somebody else changes shows by itself', async () => {
    const account = await sandbox.account();
    const window = await openWindow();
    await window.signIn(account.key, '/domains');
    await window.page.getByRole('heading', { name: 'No domains yet' }).waitFor();
    await post(account, '/api/domains', { host: 'other.example.org' });
    await window.page.getByRole('link', { name: 'other.example.org' }).waitFor();
  });

  test('filters, orders and pages are in the address', async () => {
    const account = await sandbox.account();
    for (let number = 10; number < 22; number++) await post(account, '/api/domains', { host: `shop-${number}.example.net` });
    const window = await openWindow();
    await window.signIn(account.key, '/domains?host=shop&orderby=host&sort=desc&results_per_page=10&page=2');
    const { page } = window;
    await page.getByText('12 results').waitFor();
    const names = page.getByRole('table').getByRole('rowheader');
    expect(await names.allInnerTexts()).toEqual(['shop-11.example.net', 'shop-10.example.net']);
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.getByRole('link', { name: 'shop-21.example.net' }).waitFor();
    await page.getByLabel('Find').fill('shop-15');
    await page.getByText('1 result', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?host=shop-15&orderby=host&sort=desc&results_per_page=10');
  });

  test('tomorrow’s appointments of one attendant are found', async () => {
    const account = await sandbox.account();
    await insertDemoScheduling(sandbox.get(DataSource).manager, account.id, sandbox.now.getTime());
    const [{ data_hora: time }] = (await readScheduling(account)).filter(({ atendente_nome }) => atendente_nome === 'Júlia Araújo');
    const window = await openWindow();
    await window.signIn(account.key, `/scheduling/day?date=${time.slice(0, 10)}`);
    const { page } = window;
    await page.getByLabel('Attendant').fill('julia');
    await page.getByText('1 appointment', { exact: true }).waitFor();
    await page.getByText('Júlia Araújo').waitFor();
    expect(await page.getByText('Antônio Conceição').count()).toBe(0);
  });

  async function readScheduling({ key }: SandboxAccount): Promise<{ data_hora: string; atendente_nome: string }[]> {
    const response = await fetch(`${sandbox.url}/scheduling?api=agendamentos`, { headers: { Authorization: `Bearer ${key}` } });
    return ((await response.json()) as { data: { data_hora: string; atendente_nome: string }[] }).data;
  }

  test('a revoked key leads back to the sign-in, with the reason; signing out forgets the key', async () => {
    const account = await sandbox.account();
    const window = await openWindow();
    await window.signIn(account.key, '/domains');
    const { page } = window;
    const kept = () => page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage }) + document.cookie');
    expect(await kept()).toContain(account.key);
    await sandbox
      .get(DataSource)
      .query('UPDATE api_keys SET revoked_datetime = ? WHERE account_id = ?', ['2026-11-20 10:00:00', account.id]);
    await sandbox.advance('2s');
    await page.getByRole('link', { name: 'Add domain' }).first().click();
    await page.getByLabel('Host').fill('www.example.org');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your key is no longer valid').waitFor();
    expect(await kept()).not.toContain(account.key);
    await page.getByLabel('API key').fill((await sandbox.account()).key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await kept()).not.toContain('fd_');
  });
});
