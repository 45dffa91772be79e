/** @mysql whole */
import type { Request } from 'playwright-core';
import { DataSource } from 'typeorm';
import { ApiKeysService } from '../../src/auth/accounts/api-keys.service';
import { OperatorVerifications } from '../../src/domains/verification/operator-verifications';
import { DAY_MS, timestamp } from '../../src/platform/common/time';
import type { SandboxAccount } from '../../src/programs/sandbox/testing';
import { describeInBrowser } from '../support/http/browser';
import { until } from '../support/jest/clock';
import { DESK, type Device, useConsole } from '../support/http/console';
import { insertScheduling } from '../support/areas/scheduling-records';
import { longTestOnce, testOnce } from '../support/jest/size';

const [TODAY, TOMORROW] = [0, DAY_MS].map((later) => timestamp(Date.now() + later).slice(0, 10));
const SCHEDULED = {
  servicos: [{ servicos_id: 1, servico_nome: 'Barba' }],
  atendentes: ['Júlia Araújo', 'Antônio Conceição'].map((atendente_nome, index) => ({
    atendentes_id: index + 1,
    atendente_nome,
    atendente_cargo: 'Barbeiro',
    atendente_diponivel: true,
  })),
  agendamentos: ['Érica Muñoz', 'João da Silva'].map((nome, index) => ({
    agendamento_id: index + 1,
    nome,
    telefone: '',
    data_hora: `${TOMORROW} 09:30:00`,
    servicos_id: 1,
    atendentes_id: index + 1,
  })),
};

describeInBrowser('the console', () => {
  const { sandbox, openWindow, post } = useConsole();

  testOnce('the sign-in rejects a wrong key, and then opens the requested page', async () => {
    const { key } = await sandbox().account();
    const window = await openWindow();
    await window.goTo('/handlers/new?from=a-link');
    const { page } = window;
    await page.getByLabel('API key').fill(`${key.slice(0, -1)}!`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key is not valid').waitFor();
    expect(window.requested.filter((url) => url.startsWith(`${sandbox().url}/api/`))).toHaveLength(1);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Add a handler' }).waitFor();
    expect(page.url()).toBe(`${sandbox().url}/console/handlers/new?from=a-link`);
  });

  longTestOnce('the menu shows only what the key’s scopes allow', async () => {
    const { key } = await sandbox().account({ scopes: ['domains:read', 'scheduling:read'] });
    const window = await openWindow();
    await window.signIn(key, '/domains');
    const menu = window.page.getByRole('navigation', { name: 'Main menu' });
    expect(await menu.getByRole('link').allInnerTexts()).toEqual(['Overview', 'Domains', 'Scheduling', 'Keys']);
    expect(await window.page.getByRole('link', { name: 'Add domain' }).count()).toBe(0);
  });

  longTestOnce('a key with keys:write creates another, which is shown once, and revokes it', async () => {
    const account = await sandbox().account({ name: 'acme', scopes: ['domains:read', 'events:read', 'keys:write'] });
    const { page } = await signIn(account.key, '/keys');
    await page.getByText('acme · sandbox').waitFor();
    await page.getByRole('link', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('website');
    await page.getByLabel('Only these').check();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('Choose at least one.').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(2); // no more than the key's own, without keys:write
    await page.getByLabel('domains:read').check();
    await page.getByLabel('Expires').selectOption({ label: 'In 90 days' });
    await page.getByRole('button', { name: 'Create a key' }).click();
    const created = await page.getByText(/^fd_/).innerText();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    const row = page.getByRole('row', { name: /^website/ });
    await row.getByText('domains:read').waitFor();
    expect(await page.content()).not.toContain(created);

    const other = await openWindow();
    await other.signIn(created, '/domains');
    expect(await other.page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual(['Overview', 'Domains', 'Keys']);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByText('Revoke the key “website”?').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    await other.page.getByRole('link', { name: 'Keys' }).click(); // reads nothing: the next one does
    await other.page.getByText('--account acme --name console').waitFor();
    await other.page.getByRole('link', { name: 'Domains' }).click();
    await other.page.getByText('Your key is no longer valid').waitFor();
  });

  longTestOnce('a page shows only the actions that the key’s scopes allow', async () => {
    const scopes = ['notification-handlers:read', 'notification-handlers:write'];
    const account = await sandbox().account({ scopes });
    await addWebhook(account);
    const { page } = await signIn(account.key, '/handlers');
    await page.getByRole('link', { name: 'Add handler' }).waitFor();
    await page.getByRole('link', { name: 'Pager' }).click();
    await page.getByRole('button', { name: 'Switch off' }).waitFor();
    expect(await page.getByRole('button', { name: 'Send a test' }).count()).toBe(0);
  });

  test('a domain is added, verified without a reload, and deleted', async () => {
    const account = await sandbox().account();
    const { page } = await signIn(account.key, '/domains');
    await page.getByRole('link', { name: 'Add domain' }).first().click();
    const host = page.getByLabel('Host');
    await host.fill('https://bad');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.locator('input[name="host"][aria-invalid="true"]:focus').waitFor();
    expect(await host.inputValue()).toBe('https://bad'); // the input is kept
    await host.fill('www.example.org');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('heading', { level: 1, name: 'www.example.org' }).waitFor();
    await page.getByText('Waiting for DNS').first().waitFor();
    const value = await page.getByText(/^frontdesk=/).innerText();
    expect(value).toMatch(/^frontdesk=[a-z2-7]{32}$/);
    sandbox().dns('_frontdesk.www.example.org', { type: 'TXT', values: [value] });
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('Verified', { exact: true }).first().waitFor();
    await page.getByText('doesn’t know the address that the domain has to point to').waitFor();
    await page.getByText('visitors to the bare domain get a “not found” page').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete www.example.org?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No domains yet' }).waitFor();
  });

  longTestOnce('a URL pasted as a domain is cut to its host, with a notice', async () => {
    const { key } = await sandbox().account();
    const { page } = await signIn(key, '/domains/new');
    const host = page.getByLabel('Host');
    await host.focus();
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', ' https://www.example.com:8080/shop?page=1');
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }`);
    await page.getByText('only the host is needed: www.example.com.').waitFor();
    expect(await host.inputValue()).toBe('www.example.com');
  });

  longTestOnce('a domain verified by the operator says so, and asks for no DNS record', async () => {
    const account = await sandbox().account();
    const id = await post(account, '/api/domains', { host: 'by-hand.example.org' });
    await sandbox().get(OperatorVerifications).verify(id);
    await post(account, `/api/domains/${id}/verification`, {});
    const { page } = await signIn(account.key, `/domains/${id}`);
    await page.getByText('By the operator, on').waitFor();
    await page.getByText('Everything is as it should be.').waitFor();
    expect(await page.getByText(/^frontdesk=/).count()).toBe(0);
  });

  longTestOnce('DNS problems and form errors are shown in Portuguese', async () => {
    const account = await sandbox().account();
    const id = await post(account, '/api/domains', { host: 'operator.example.org' });
    await post(account, `/api/domains/${id}/verification`, {});
    await sandbox()
      .get(DataSource)
      .query(`UPDATE domain_verifications SET status = 'verified', is_by_operator = 1 WHERE domain_id = ${id}`);
    const { page } = await signIn(account.key, `/domains/${id}`, { language: 'pt-BR', colors: 'light', width: 360 });
    await page.getByText('Está confirmado que o domínio é seu.').waitFor();
    await page.getByText('Esta verificação não encontrou o registro TXT.').waitFor();
    await page.getByText('Configure o registro TXT como mostrado acima.').waitFor();
    await page.getByRole('link', { name: 'Editar' }).click();
    await page.getByLabel('Endereço da página inicial').fill('example');
    await page.getByRole('button', { name: 'Salvar' }).click();
    await page.getByText('Informe um endereço completo').waitFor();
  });

  longTestOnce('the overview counts deliveries by the outcome of their last attempt', async () => {
    const account = await sandbox().account();
    const handler = await addWebhook(account);
    sandbox().answer({ handler_id: handler, answers: [{ status: 200 }, { status: 410 }, { status: 503 }] });
    for (const text of ['taken', 'refused', 'to be repeated']) {
      await post(account, '/api/messages', { text });
      await sandbox().settle(account);
    }
    const later = { text: 'later', send_at: new Date(Date.now() + 30 * DAY_MS).toISOString() };
    await post(account, '/api/messages', later);
    const cancelled = await post(account, '/api/messages', later);
    await post(account, `/api/messages/${cancelled}/cancellation`, {});
    const { page } = await signIn(account.key);
    await page.getByText('As a table').first().click();
    const table = page.getByRole('table', { name: 'Deliveries of the last 24 hours' });
    const columns = await table.getByRole('columnheader').allInnerTexts();
    expect(columns).toEqual(['Time', 'Delivered', 'Refused', 'Error at the receiver', 'Waiting', 'Cancelled']);
    await page.getByText('Last attempt failed 2').first().waitFor();
    const rows = (await table.getByRole('row').allInnerTexts()).slice(1).map((row) => row.split('\t').slice(1).map(Number));
    expect(rows.reduce((sums, row) => sums.map((sum, index) => sum + row[index]))).toEqual([1, 1, 1, 1, 1]); // the hour may have changed
    const failing = page.getByText('Nothing reaches the handler');
    await failing.waitFor();
    await post(account, `/api/notification-handlers/${handler}`, { is_enabled: '0' });
    await failing.waitFor({ state: 'detached' });
  });

  longTestOnce('the overview names five failing handlers and counts the others', async () => {
    const account = await sandbox().account();
    for (let number = 0; number < 7; number++) {
      const handler = await addWebhook(account);
      sandbox().answer({ handler_id: handler, answers: [{ status: 410 }] });
    }
    await post(account, '/api/messages', { text: 'refused' });
    await sandbox().settle(account);
    const { page } = await signIn(account.key);
    await page.getByRole('link', { name: '2 more handlers that nothing reaches' }).waitFor();
    expect(await page.getByText('Nothing reaches the handler Pager').count()).toBe(5);
  });

  longTestOnce('a Slack handler is added, and its tests show their results in words', async () => {
    const account = await sandbox().account();
    const { page } = await signIn(account.key, '/handlers');
    await page.getByRole('link', { name: 'Add handler' }).first().click();
    await page.getByLabel('Name').fill('Night shift');
    await page.getByLabel('Type').selectOption('Slack');
    await page.getByLabel('Slack webhook URL').fill('https://hooks.slack.com/services/T0/B0/x');
    await page.getByRole('button', { name: 'Add handler' }).click();
    await page.getByRole('heading', { level: 1, name: 'Night shift' }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Look there for “Test of Night shift”').waitFor();
    sandbox().answer({ account: account.id, answers: [{ status: 404, body: 'no_service' }] });
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('It did not arrive').waitFor();
    await page.getByText('The receiver refused it').waitFor();
    expect(sandbox().sent({ account: account.id, type: 'slack' })).toHaveLength(2);
  });

  test('a message is sent, and its delivery appears without a reload', async () => {
    const account = await sandbox().account();
    const handler = await addWebhook(account);
    sandbox().answer({ handler_id: handler, answers: [{ status: 503 }] });
    const { page } = await signIn(account.key, '/messages');
    await page.getByRole('link', { name: 'Write a message' }).first().click();
    await page.getByLabel('Text').fill('The backup failed.');
    await page.getByText('Goes to 1 handler as soon as you send it.').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('heading', { level: 1, name: 'The backup failed.' }).waitFor();
    await page.getByText('1 waiting').waitFor();
    const loaded = await timeOrigin();
    await sandbox().advance('1m');
    await page.getByText('1 delivered').waitFor();
    expect(await timeOrigin()).toBe(loaded);
    expect(sandbox().sent({ account: account.id })).toMatchObject([{ readable: { text: 'The backup failed.' } }, { attempt: 2 }]);

    function timeOrigin(): Promise<number> {
      return page.evaluate('performance.timeOrigin');
    }
  });

  longTestOnce('a message with steps is sent, listed on the overview, and acknowledged', async () => {
    const account = await sandbox().account();
    await addWebhook(account);
    const { page } = await signIn(account.key, '/messages/new');
    await page.getByLabel('Title').fill('db-1 is down');
    await page.getByLabel('Text', { exact: true }).fill('No answer.');
    await page.getByRole('button', { name: 'Add a step' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Give each step its minutes and a handler').waitFor();
    const step = page.getByRole('group', { name: 'Step 1' });
    await step.getByLabel('After').fill('10');
    await step.getByLabel('minutes, to').selectOption({ label: 'Pager (Webhook)' });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Nobody has acknowledged it yet.').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'Nobody has acknowledged db-1 is down' }).click();
    await page.getByRole('button', { name: 'Acknowledge' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('because it was acknowledged').waitFor();
    await page.getByText('Acknowledged on').waitFor();
    expect(await page.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0);
  });

  longTestOnce('events that a handler missed while it was off are sent again', async () => {
    const account = await sandbox().account();
    const handler = await addWebhook(account);
    const path = `/api/notification-handlers/${handler}`;
    await post(account, `${path}/events`, { types: 'domain.created' });
    await post(account, path, { is_enabled: '0' });
    await post(account, '/api/domains', { host: 'missed.example.com' });
    await post(account, path, { is_enabled: '1' });
    const { page } = await signIn(account.key, `/handlers/${handler}`);
    await page.getByRole('link', { name: 'Resend missed events' }).click();
    await page.getByText('When it was last switched off.').waitFor();
    await page.getByRole('button', { name: 'Resend' }).click();
    await page.getByRole('heading', { level: 1, name: 'Pager' }).waitFor();
    await until(() => sandbox().sent({ account: account.id }).length > 0);
    expect(sandbox().sent({ account: account.id })).toMatchObject([{ readable: { title: 'domain.created' } }]);
    await page.getByRole('link', { name: 'Resend missed events' }).waitFor();
  });

  longTestOnce('the overview lists a certificate problem, whose page explains it', async () => {
    const account = await sandbox().account();
    const id = await post(account, '/api/domains', { host: 'shop.example.com' });
    await sandbox().settle(account);
    const problems = JSON.stringify([{ code: 'certificate_expiring', detail: 'The certificate expires at 2026-12-01 09:30:00 UTC.' }]);
    const certificate = JSON.stringify({ issuer: 'Let’s Encrypt', expires: '2026-12-01 09:30:00' });
    const update = "UPDATE domain_verifications SET status = 'verified', problems = ?, certificate = ?, checked = 1 WHERE domain_id = ?";
    await sandbox().get(DataSource).query(update, [problems, certificate, id]);
    const { page } = await signIn(account.key);
    await page.getByRole('link', { name: 'Certificate problem: shop.example.com' }).click();
    await page.getByText('The certificate is about to expire').waitFor();
    await page.getByText('Let’s Encrypt').waitFor();
  });

  longTestOnce('a failed delivery shows the reason, and can be retried', async () => {
    const account = await sandbox().account();
    const handler = await addWebhook(account);
    sandbox().answer({ handler_id: handler, answers: [{ status: 410 }] });
    await post(account, '/api/messages', { title: 'Backup', text: 'It failed.', handler_ids: String(handler) });
    await sandbox().settle(account);
    const { page } = await signIn(account.key, '/', { ...DESK, width: 360 });
    await page.getByRole('link', { name: '1 delivery failed' }).click();
    await page.getByRole('heading', { level: 1, name: /^Delivery / }).waitFor();
    await page.getByText('It was given up').waitFor();
    await page.getByText('The receiver doesn’t accept this message').first().waitFor();
    const retry = page.getByRole('button', { name: 'Retry' });
    expect(await retry.isEnabled()).toBe(true);
    await post(account, `/api/notification-handlers/${handler}`, { is_enabled: '0' });
    await page.getByText('Its handler is switched off.').waitFor();
    expect(await retry.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('Its handler is switched off.').waitFor({ state: 'detached' });
    expect(await retry.isEnabled()).toBe(true);
    const place = await retry.boundingBox();
    await page.keyboard.press('Enter'); // the focus is on Retry
    await page.getByText('The receiver has accepted it.').first().waitFor();
    expect(await page.getByText('will be tried again now').count()).toBe(0); // replaced by the result
    expect(await retry.boundingBox()).toEqual(place);
    await page.getByRole('listitem').filter({ hasText: 'Attempt 2: Delivered' }).waitFor();
    expect(sandbox().sent({ account: account.id })).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
  });

  longTestOnce('a delivery that can’t be retried shows the reason', async () => {
    const account = await sandbox().account();
    const handler = await addWebhook(account);
    sandbox().answer({ handler_id: handler, answers: [{ status: 410 }] });
    await post(account, '/api/messages', { title: 'Backup', text: 'It failed.' });
    await sandbox().settle(account);
    await post(account, `/api/notification-handlers/${handler}`, { type: 'email', email: 'ops@example.com' });
    const { window, page } = await signIn(account.key, '/deliveries?status=failed');
    await page.getByLabel('Choose the failed ones').check();
    await page.getByRole('button', { name: 'Retry chosen (1)' }).click();
    await page.getByText('1 skipped: the handler now has another type.').waitFor();
    await page.getByRole('button', { name: 'Retry all 1' }).click();
    await page.getByText('1 skipped: open one of them to see why.').waitFor();
    await page.getByRole('link', { name: 'Backup' }).click();
    await page.getByText('Its handler now has another type').waitFor();
    expect(await page.getByRole('button', { name: 'Retry' }).isDisabled()).toBe(true);
    expect(await page.getByText('then retry').count()).toBe(0);
    await page.getByRole('link', { name: 'Open the handler' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No handlers yet' }).waitFor();
    await window.open('/deliveries?status=failed');
    await page.getByRole('link', { name: 'Backup' }).click();
    await page.getByText('Its handler was deleted').waitFor();
    expect(await page.getByRole('link', { name: 'Open the handler' }).count()).toBe(0);
  });

  longTestOnce('the events page updates without a reload', async () => {
    const account = await sandbox().account();
    const { page } = await signIn(account.key, '/events');
    await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
    await post(account, '/api/domains', { host: 'events.example.org' });
    const event = page.getByRole('list', { name: 'Events' }).getByRole('listitem').filter({ hasText: 'Domain added' });
    await event.getByRole('link', { name: 'events.example.org' }).waitFor();
    await event.getByText(/by key sandbox/).waitFor();
  });

  longTestOnce('a second tab that finds its key rejected shows the sign-in', async () => {
    const account = await sandbox().account();
    const window = await openWindow();
    await window.signIn(account.key, '/domains');
    const woken = await window.openTab();
    await woken.signIn(account.key, '/domains');
    await woken.page.route('**/api/events?*', (route) => route.fulfill({ status: 401, json: { errors: [{ code: 'unauthenticated' }] } }));
    await post(account, '/api/domains', { host: 'woken.example.org' });
    await woken.page.getByText('Your key is no longer valid').waitFor();
    expect(woken.complaints).toEqual([]);
  });

  longTestOnce('a list of 100 deliveries loads the messages on the screen, at most four at a time', async () => {
    const account = await sandbox().account();
    await addWebhook(account);
    for (let number = 0; number < 60; number++) await post(account, '/api/messages', { text: `Message ${number} is here` });
    const { window, page } = await signIn(account.key, '/keys');
    const isOfMessage = (request: Request): boolean => /\/api\/messages\/\d+$/.test(request.url());
    let [atOnce, most] = [0, 0];
    page.on('request', (request) => isOfMessage(request) && (most = Math.max(most, ++atOnce)));
    page.on('requestfinished', (request) => isOfMessage(request) && atOnce--);
    await page.goto(`${sandbox().url}/console/deliveries?results_per_page=100`);
    await page.getByRole('link', { name: 'Message 59 is here' }).waitFor();
    expect(await page.getByRole('link', { name: 'Message 0 is here' }).count()).toBe(0);
    await page.getByRole('row').last().scrollIntoViewIfNeeded();
    await page.getByRole('link', { name: 'Message 0 is here' }).waitFor();
    expect(window.requested.filter((url) => /\/api\/messages\/\d+$/.test(url)).length).toBeLessThan(50);
    expect(most).toBeLessThanOrEqual(4);
  });

  longTestOnce('changes by another client appear without a reload', async () => {
    const account = await sandbox().account();
    const window = await openWindow();
    await window.signIn(account.key, '/domains');
    await window.page.getByRole('heading', { name: 'No domains yet' }).waitFor();
    await post(account, '/api/domains', { host: 'other.example.org' });
    await window.page.getByRole('link', { name: 'other.example.org' }).waitFor();
  });

  test('filter, order and page of a list are in the URL', async () => {
    const account = await sandbox().account();
    for (let number = 10; number < 22; number++) await post(account, '/api/domains', { host: `shop-${number}.example.net` });
    const { page } = await signIn(account.key, '/domains?host=shop&orderby=host&sort=desc&results_per_page=10&page=2');
    await page.getByText('12 results').waitFor();
    const names = page.getByRole('table').getByRole('rowheader');
    expect(await names.allInnerTexts()).toEqual(['shop-11.example.net', 'shop-10.example.net']);
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.getByRole('link', { name: 'shop-21.example.net' }).waitFor();
    await page.getByLabel('Find').fill('shop-15');
    await page.getByText('1 result', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?host=shop-15&orderby=host&sort=desc&results_per_page=10');
    await page.setViewportSize({ width: 360, height: 740 });
    const folded = page.getByRole('button', { name: 'Filters (1)', expanded: false });
    await page.getByLabel('Find').waitFor({ state: 'hidden' });
    await folded.press('Enter');
    await page.getByRole('button', { name: 'Filters (1)', expanded: true }).waitFor();
    await page.getByLabel('Find').fill('');
    await page.getByRole('button', { name: 'Filters', exact: true }).waitFor();
  });

  longTestOnce('the day’s appointments can be filtered by attendant', async () => {
    const account = await sandbox().account();
    await insertScheduling({ dataSource: sandbox().get(DataSource) }, account.id, SCHEDULED);
    const { page } = await signIn(account.key, `/scheduling/day?date=${TODAY}`);
    await page.getByText('No appointments on this day.').waitFor();
    await page.getByRole('link', { name: 'Tomorrow' }).click();
    await page.getByText('2 appointments').waitFor();
    expect(await page.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(['09:00']);
    await page.getByLabel('Attendant').fill('julia');
    await page.getByText('1 appointment', { exact: true }).waitFor();
    await page.getByText('Júlia Araújo').waitFor();
    expect(await page.getByText('Antônio Conceição').count()).toBe(0);
  });

  test('a revoked key returns to the sign-in with the reason, and leaves no data behind', async () => {
    const [first, second] = [await sandbox().account(), await sandbox().account()];
    const handler = { name: 'Theirs', type: 'webhook', webhook: 'https://hooks.example.com/theirs' };
    const id = await post(first, '/api/notification-handlers', handler);
    const { page } = await signIn(first.key, `/handlers/${id}/edit`);
    const kept = () => page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage }) + document.cookie');
    expect(await kept()).toContain(first.key);
    await page.getByLabel('Name').fill('Theirs, changed');
    const revoke = 'UPDATE api_keys SET revoked_datetime = ? WHERE account_id = ?';
    await sandbox().get(DataSource).query(revoke, ['2026-11-20 10:00:00', first.id]);
    await sandbox().advance('2s');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your key is no longer valid').waitFor();
    expect(await kept()).not.toContain(first.key);
    await until(
      () => page.title(),
      (title) => !title.includes('Theirs'),
    ); // the title is set after the page is painted
    expect(await page.content()).not.toMatch(/Theirs|hooks\.example\.com/); // for the next person at this computer
    await page.getByLabel('API key').fill(second.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await page.getByLabel('Name').count()).toBe(0);
    await page.getByText('It no longer exists.').waitFor();
    expect(await page.content()).not.toContain('hooks.example.com/theirs');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await kept()).not.toContain('fd_');
  });

  longTestOnce('a draft survives leaving the page, a reload and a new key, and other accounts don’t see it', async () => {
    const account = await sandbox().account();
    const { page } = await signIn(account.key, '/messages/new');
    page.on('dialog', (dialog) => void dialog.accept()); // the browser's, before a reload
    const [text, leaving] = [page.getByLabel('Text'), page.getByRole('dialog', { name: 'Leave this page?' })];
    await text.fill('Half a thought');
    await page.getByRole('link', { name: 'Domains' }).click();
    await leaving.getByRole('button', { name: 'Stay' }).click();
    expect(await text.inputValue()).toBe('Half a thought');
    await page.getByRole('link', { name: 'Domains' }).click();
    await leaving.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
    await page.goBack();
    await page.getByText('What you typed before is back.').waitFor();
    await page.reload();
    await page.getByText('What you typed before is back.').waitFor();
    expect(await text.inputValue()).toBe('Half a thought');

    const revoke = 'UPDATE api_keys SET revoked_datetime = ? WHERE account_id = ?';
    await sandbox().get(DataSource).query(revoke, ['2026-11-20 10:00:00', account.id]);
    await sandbox().advance('2s');
    await page.getByText('Your key is no longer valid').waitFor();
    const { key } = await sandbox().get(ApiKeysService).create({ accountId: account.id, name: 'new' });
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByText('What you typed before is back.').waitFor();
    expect(await text.inputValue()).toBe('Half a thought');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await leaving.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain('Half');
    await page.getByLabel('API key').fill((await sandbox().account()).key);
    await page.keyboard.press('Enter');
    await text.waitFor();
    expect(await text.inputValue()).toBe('');
  });

  longTestOnce('a new key is not left uncopied, and a late response does not affect another account', async () => {
    const account = await sandbox().account({ scopes: ['domains:read', 'domains:write', 'events:read', 'keys:write'] });
    const { window, page } = await signIn(account.key, '/keys/new');
    const leaving = page.getByRole('dialog', { name: 'Leave this page?' });
    await page.getByLabel('Name').fill('website');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText(/^fd_/).waitFor();
    await page.getByRole('link', { name: 'Domains' }).click();
    await leaving.getByText('The key isn’t shown again.').waitFor();
    await leaving.getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row', { name: /^website/ }).waitFor();

    const id = await post(account, '/api/domains', { host: 'late.example.org' });
    await window.open(`/domains/${id}`);
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(`**/api/domains/${id}`, async (route) => {
      if (route.request().method() === 'DELETE') await answered;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').fill((await sandbox().account()).key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'This no longer exists' }).waitFor();
    const opened: string[] = [];
    page.on('framenavigated', (frame) => opened.push(new URL(frame.url()).pathname));
    const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE');
    answer();
    expect((await deleted).status()).toBe(200);
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    expect(opened).toEqual(['/console/events']);
  });

  longTestOnce('invalid data in sessionStorage is ignored', async () => {
    const { key, name } = await sandbox().account();
    const { window, page } = await signIn(key, '/domains/new');
    for (const broken of ['{not', 'null', '{"host":5,"gone":"x"}']) {
      const draft = [`frontdesk.draft ${JSON.stringify(name)} /domains/new`, broken];
      await page.evaluate(`sessionStorage.setItem(...${JSON.stringify(draft)})`);
      await page.reload();
      await page.getByLabel('Host').waitFor();
    }
    for (const broken of ['{not', '{"account":"acme","key":"x"}']) {
      await page.evaluate(`sessionStorage.setItem('frontdesk.session', ${JSON.stringify(broken)})`);
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    }
    expect(window.complaints).toEqual([]);
  });

  longTestOnce('a draft contains no secret, and is deleted when sent or discarded', async () => {
    const account = await sandbox().account();
    const { page } = await signIn(account.key, '/handlers/new');
    page.on('dialog', (dialog) => void dialog.accept());
    const kept = () =>
      page.evaluate(`Object.keys(sessionStorage).filter((key) => key.includes('draft')).map((key) => sessionStorage[key])`);
    const fill = async (): Promise<void> => {
      await page.getByLabel('Type').selectOption('slack');
      await page.getByLabel('Name').fill('Team');
      await page.getByLabel('Slack webhook URL').fill('https://hooks.slack.com/services/T0/B0/secret');
    };
    await fill();
    expect(await kept()).toEqual(['{"name":"Team","type":"slack"}']);
    await page.reload();
    await page.getByRole('button', { name: 'Start over' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect(await kept()).toEqual([]);
    await fill();
    await page.getByRole('button', { name: 'Add handler' }).click();
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Name').waitFor();
    expect(await kept()).toEqual([]);
    await page.getByRole('link', { name: 'Cancel' }).click(); // without changes there is no question
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor();
  });

  test('a page restored by Back after a sign-out asks for a key', async () => {
    const account = await sandbox().account();
    const { page } = await signIn(account.key, '/domains');
    // As for a page in the back/forward cache when the next one signs out.
    await page.evaluate(`sessionStorage.clear(); dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  async function signIn(key: string, path?: string, device?: Device) {
    const window = await openWindow(device);
    await window.signIn(key, path);
    return { window, page: window.page };
  }

  function addWebhook(account: SandboxAccount): Promise<number> {
    return post(account, '/api/notification-handlers', { name: 'Pager', type: 'webhook', webhook: 'https://hooks.example.com/1' });
  }
});
