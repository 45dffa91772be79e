// Runs on SQLite; in the whole run, on MySQL too.
import { DataSource } from 'typeorm';
import type { SandboxAccount } from '../../src/programs/sandbox/testing';
import { describeInBrowser } from '../support/browser';
import { useConsole } from '../support/console';
import { longTestOnce } from '../support/size';

describeInBrowser('the console, when a tab changes hands', () => {
  const { sandbox, openWindow, post } = useConsole();

  const createHandler = (account: SandboxAccount) =>
    post(account, '/api/notification-handlers', { name: 'Theirs', type: 'webhook', webhook: 'https://hooks.example.com/theirs' });

  async function revoke({ id }: SandboxAccount): Promise<void> {
    const sql = 'UPDATE api_keys SET revoked_datetime = ? WHERE account_id = ?';
    await sandbox().get(DataSource).query(sql, ['2026-11-20 10:00:00', id]);
    await sandbox().advance('2s');
  }

  test('a form that a revoked key has filled is not there for another account', async () => {
    const [first, second] = [await sandbox().account(), await sandbox().account()];
    const window = await openWindow();
    await window.signIn(first.key, `/handlers/${await createHandler(first)}/edit`);
    const { page } = window;
    await page.getByLabel('Name').fill('Theirs, changed');
    await revoke(first);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your key is no longer valid').waitFor();
    expect(await page.content()).not.toMatch(/Theirs|hooks\.example\.com/); // for whoever sits there next
    await page.getByLabel('API key').fill(second.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await page.getByLabel('Name').count()).toBe(0);
    await page.getByText('It no longer exists.').waitFor();
    expect(await page.content()).not.toContain('hooks.example.com/theirs');
  });

  longTestOnce('a name that changes the direction of writing changes nothing around it', async () => {
    const account = await sandbox().account();
    const name = 'abc\u202edef';
    const id = await post(account, '/api/notification-handlers', { name, type: 'webhook', webhook: 'https://hooks.example.com/1' });
    const window = await openWindow();
    await window.signIn(account.key, `/handlers/${id}`);
    const { page } = window;
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect(await page.evaluate(`getComputedStyle(document.querySelector('#main h1')).unicodeBidi`)).toBe('plaintext');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: `Delete \u2068${name}\u2069?` }).waitFor();
  });

  test('a page that Back brings to life asks for a key again after it was signed out', async () => {
    const account = await sandbox().account();
    const window = await openWindow();
    await window.signIn(account.key, '/domains');
    const { page } = window;
    // What a page sees that was frozen while the next one signed out.
    await page.evaluate(`sessionStorage.clear(); dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });
});
