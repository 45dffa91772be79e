/** @mysql never */
import { DataSource } from 'typeorm';
import { timestamp } from '../../src/platform/common/time';
import { Campaign, Notification } from '../../src/notifications/notification.entity';
import { describeInBrowser } from '../support/http/browser';
import { DESK, DEVICES, useConsole } from '../support/http/console';
import { insertScheduling } from '../support/areas/scheduling-records';
import { inTurn, longTest, sample } from '../support/jest/size';

const SCRIPT = '<img src=x onerror="document.title=\'broken\'">';

/** Pages that show callers' texts. */
const WITH_TEXTS = [
  '/',
  '/handlers',
  '/handlers/1',
  '/messages',
  '/messages/1',
  '/deliveries',
  '/deliveries/1',
  '/events',
  '/notifications',
  '/notifications/1',
  '/scheduling',
  '/scheduling/day',
  '/scheduling/list',
  '/scheduling/attendants',
  '/scheduling/services',
  '/scheduling/slots',
];
const OTHERS = [
  '/domains',
  '/domains/new',
  '/domains/1',
  '/domains/1/edit',
  '/handlers/new',
  '/handlers/1/edit',
  '/handlers/1/replay',
  '/messages/new',
  '/keys',
];

/** Zones whose clocks go forward at midnight, with that day and its limits in UTC. */
const SPRINGS = [
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00', '2026-09-07T03:00'],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00', '2026-04-24T21:00'],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00', '2026-03-29T21:00'],
  ['America/Havana', '2026-03-08', '2026-03-08T05:00', '2026-03-09T04:00'],
] as const;

describeInBrowser('the console’s pages', () => {
  const { sandbox, openWindow, signedInWindow, post } = useConsole();

  /** A record of each kind, with texts that would run if inserted as HTML. */
  beforeAll(async () => {
    const account = { id: 1, name: 'sandbox', key: sandbox().key };
    await post(account, '/api/domains', { host: 'shop.example.com', custom_index_url: 'https://example.com/shop' });
    const pager = { name: SCRIPT, type: 'webhook', webhook: 'https://hooks.example.com/1' };
    const handler = await post(account, '/api/notification-handlers', pager);
    sandbox().answer({ handler_id: handler, answers: [{ status: 410, body: SCRIPT }] });
    await post(account, '/api/messages', { title: SCRIPT, text: SCRIPT, handler_ids: String(handler) });
    await sandbox().settle(account);
    await insertNotification(account.id);
    await insertScheduling({ dataSource: sandbox().get(DataSource) }, account.id, SCHEDULED);
  });

  async function insertNotification(account_id: number): Promise<void> {
    const { manager } = sandbox().get(DataSource);
    const common = { account_id, name: SCRIPT, is_enabled: true, datetime: timestamp(Date.now()) };
    const campaign: Partial<Campaign> = { ...common };
    await manager.insert(Campaign, campaign);
    const settings = { title: SCRIPT, display_position: 'top_right', display_duration: 5 };
    const links = { campaign_id: campaign.id!, notification_key: 'a'.repeat(32) };
    await manager.insert(Notification, { ...common, ...links, type: 'INFORMATIONAL', settings });
  }

  const SCHEDULED = {
    servicos: [{ servicos_id: 1, servico_nome: SCRIPT }],
    atendentes: [{ atendentes_id: 1, atendente_nome: SCRIPT, atendente_cargo: SCRIPT, atendente_diponivel: true }],
    horarios: [{ horarios_id: 1, horario_id: SCRIPT, horario_disponivel: true }],
    agendamentos: [
      { agendamento_id: 1, nome: SCRIPT, telefone: '(11) 98765-4321', data_hora: timestamp(Date.now()), servicos_id: 1, atendentes_id: 1 },
    ],
  };

  const cases = sample([...WITH_TEXTS, ...OTHERS], 2).flatMap((path, index) =>
    inTurn(DEVICES, index).map((device) => ({ path, ...device })),
  );

  test.each(cases)('$path in $language, $colors, $width pixels wide is accessible, fits and logs no error', async ({ path, ...device }) => {
    const window = await signedInWindow(device);
    await window.open(path);
    const { page } = window;
    if (WITH_TEXTS.includes(path)) await page.getByText(SCRIPT).filter({ visible: true }).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('main h1').innerText()).not.toMatch(/not found|não encontrada/);
    expect(await window.violations()).toEqual([]);
    expect(await window.overflow()).toBe(0);
    expect(window.complaints).toEqual([]);
    expect(window.requested.filter((url) => !url.startsWith(`${sandbox().url}/`))).toEqual([]);
    expect(window.requested.filter((url) => url.includes(sandbox().key))).toEqual([]);
  });

  const phones = DEVICES.filter(({ width, colors }) => width === 360 && colors === 'light');
  const onPhones = sample([...WITH_TEXTS, ...OTHERS], 3).flatMap((path, index) =>
    inTurn(phones, index).map((device) => ({ path, ...device })),
  );

  test.each(onPhones)('$path in $language on a phone loads without layout shifts and has large targets', async ({ path, ...device }) => {
    const window = await signedInWindow(device);
    await window.open(path);
    expect(await window.layoutShift()).toBeLessThanOrEqual(0.05);
    expect(await window.appliedRules()).toContain('target-size'); // whose violations the test above reports
  });

  longTest('long URLs and names are truncated in a list', async () => {
    const account = await sandbox().account();
    const long = `https://example.com/${'x'.repeat(1_480)}`;
    for (let number = 0; number < 25; number++) {
      const webhook = long.replace('example', `${'host-'.repeat(10)}${number}.example`);
      await post(account, '/api/notification-handlers', { name: `${number}`.padEnd(128, 'n'), type: 'webhook', webhook });
    }
    await post(account, '/api/domains', { host: 'shop.example.org', custom_index_url: long });
    const window = await openWindow({ ...DESK, width: 360 });
    await window.signIn(account.key, '/handlers');
    const { page } = window;
    for (const [path, rows] of [
      ['/handlers', 25],
      ['/domains', 1],
    ] as const) {
      await page.setViewportSize({ width: 360, height: 800 });
      await window.open(path);
      const list = page.locator('main').getByRole('list');
      expect((await list.boundingBox())!.height).toBeLessThanOrEqual(rows * 75);
      expect(await window.overflow()).toBe(0);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('table').waitFor();
      expect((await page.getByRole('row').last().boundingBox())!.height).toBeLessThanOrEqual(80);
      expect((await page.getByRole('rowheader').last().boundingBox())!.width).toBeGreaterThan(180);
      expect(await window.overflow()).toBe(0);
    }
    await page
      .getByText(long)
      .and(page.locator(`[title="${long}"]`))
      .waitFor();
    await page.getByRole('link', { name: 'shop.example.org' }).click();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText(long).waitFor();
  });

  longTest('characters that change the text direction are shown as code points', async () => {
    const account = await sandbox().account();
    const name = 'א\u202edef';
    const shown = 'א⟨U+202E⟩def';
    const id = await post(account, '/api/notification-handlers', { name, type: 'webhook', webhook: 'https://hooks.example.com/1' });
    await post(account, '/api/messages', { title: 'invoice\u202egpj.exe', text: 'One\nTwo' });
    const window = await openWindow();
    await window.signIn(account.key, '/messages');
    const { page } = window;
    await page.getByRole('link', { name: 'invoice⟨U+202E⟩gpj.exe' }).click();
    await page.getByRole('heading', { name: 'invoice⟨U+202E⟩gpj.exe' }).waitFor();
    expect(await page.title()).toBe('invoice⟨U+202E⟩gpj.exe · frontdesk');
    expect(await page.locator('.message-text').innerText()).toBe('One\nTwo');
    await window.open(`/handlers/${id}`);
    await page.getByRole('heading', { level: 1, name: shown }).waitFor();
    expect(await page.evaluate(`getComputedStyle(document.querySelector('#main h1')).unicodeBidi`)).toBe('plaintext');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: `Delete \u2068${shown}\u2069?` }).waitFor();
  });

  test.each(sample(SPRINGS, 1))('date filters cover whole days in %s', async (timezoneId, day, starts, ends) => {
    const window = await signedInWindow(DESK);
    const { page } = window;
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTimezoneOverride', { timezoneId });
    const before = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
    for (const [from, until, last] of [
      [starts, ends, day],
      [starts, starts, before],
    ]) {
      await window.open(`/deliveries?created_from=${from}&created_until=${until}`);
      const dates = page.locator('input[type="date"]');
      expect([await dates.nth(0).inputValue(), await dates.nth(1).inputValue()]).toEqual([day, last]);
    }
    await window.open('/deliveries');
    await page.locator('input[type="date"]').nth(0).fill(day, { force: true });
    await page.locator('input[type="date"]').nth(1).fill(day, { force: true });
    await page.waitForURL(/created_until/);
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('created_from'), searchParams.get('created_until')]).toEqual([starts, ends]);
    await session.send('Emulation.setTimezoneOverride', { timezoneId: '' }); // a browser allows only one override
  });
});
