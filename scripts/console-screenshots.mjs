// Takes the pictures of docs/start/console.md from a service with demo records: after a build, `node scripts/console-screenshots.mjs`.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { freePort, start, stop, temporaryFolder } from '../bench/harness/processes.mjs';

const MAX_BYTES = 102_400;
const QUALITY = 85;
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };
const PICTURES = [
  ['overview', '/'],
  ['domain', '/domains/3'],
  ['handler', '/handlers/4', (page) => page.getByRole('button', { name: 'Send a test' }).click()],
  ['message', '/messages/new', writeMessage],
  ['deliveries', '/deliveries'],
  ['delivery', '/deliveries?status=failed', (page) => page.getByRole('rowheader').getByRole('link').first().click()],
  ['notification', '/notifications/1'],
  ['scheduling', '/scheduling'],
  ['events', '/events'],
  ['keys', '/keys'],
];

const folder = new URL('../docs/images/', import.meta.url).pathname;
const work = temporaryFolder('screenshots');
const receiver = await startReceiver();
const service = await startService();
await addRecords();

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--lang=en-GB'] });
const desk = await signIn(DESK);
for (const [name, path, act] of PICTURES) await take(desk, name, path, act);
await take(await signIn(PHONE), 'phone', '/');
await browser.close();
await stop(service.process);
receiver.close();

/** Takes what is posted to /ok, and refuses the rest. */
async function startReceiver() {
  const server = createServer((request, response) => response.writeHead(request.url === '/ok' ? 204 : 410).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function startService() {
  const port = await freePort();
  const log = join(work, 'service.log');
  const env = {
    EDGE_TARGET: 'edge.example.net',
    ...{ PATH: process.env.PATH, PORT: String(port), DATABASE_URL: `sqlite:${join(work, 'frontdesk.sqlite')}` },
    ...{ DEMO: 'on', DOMAIN_CHECKS: 'off', OUTBOUND_ALLOW: '127.0.0.1/32' },
  };
  const child = start(process.execPath, ['dist/src/main.js'], { log, env });
  for (;;) {
    const [key] = /fd_\w+/.exec(readFileSync(log, 'utf8')) ?? [];
    if (key) return { process: child, key, makerKey: createMakerKey(env), url: `http://127.0.0.1:${port}` };
    if (child.exitCode !== null) throw new Error(readFileSync(log, 'utf8'));
    await sleep(100);
  }
}

/** A key for the page of keys: no other may make them. */
function createMakerKey(env) {
  const areas = ['domains', 'messages', 'notification-handlers', 'notifications', 'scheduling', 'events', 'secrets'];
  const scopes = [...areas.map((area) => `${area}:read`), ...areas.slice(0, 3).map((area) => `${area}:write`), 'keys:write'].join(',');
  const argv = ['dist/src/cli.js', 'keys', 'create', '--account', 'demo', '--name', 'Ana', '--scopes', scopes];
  return execFileSync(process.execPath, argv, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** The demo's handlers send nothing, so two of our own deliver, and fail. */
async function addRecords() {
  const address = `http://127.0.0.1:${receiver.address().port}`;
  const pager = await post('/api/notification-handlers', { name: 'Night shift', type: 'webhook', webhook: `${address}/ok` });
  const screen = await post('/api/notification-handlers', { name: 'Old lobby screen', type: 'webhook', webhook: `${address}/gone` });
  const all = `${pager},${screen}`;
  await post('/api/messages', {
    title: 'Water is off on Friday',
    text: 'From 9 to 11 on Friday, there is no water on floor 3.',
    handler_ids: all,
  });
  await post('/api/messages', { title: 'Backup finished', text: 'The backup of 3 a.m. took 12 minutes.', handler_ids: String(pager) });
  await post('/api/messages', {
    title: 'Visitor at the door',
    text: 'Érica Muñoz is here for her appointment.',
    handler_ids: String(pager),
  });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  await post('/api/messages', { title: 'Closed on Monday', text: 'We are closed on Monday.', handler_ids: all, send_at: tomorrow });
  await post('/api/keys', { name: 'website', scopes: 'domains:read', expires: '90d' }, service.makerKey);
  await post('/api/keys', { name: 'Backups', scopes: 'messages:read,messages:write' }, service.makerKey);
  await sleep(2_000); // until all but the last are sent
}

async function post(path, form, key = service.key) {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: new URLSearchParams(form) });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()).data.id;
}

async function signIn(viewport) {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', colorScheme: 'light', reducedMotion: 'reduce', viewport });
  const page = await context.newPage();
  page.on('dialog', (dialog) => void dialog.accept()); // a form that was filled in asks before it is left
  await page.goto(`${service.url}/console/`);
  await page.getByLabel('API key').fill(service.makerKey);
  await page.keyboard.press('Enter');
  await page.locator('#main h1').waitFor();
  return page;
}

async function writeMessage(page) {
  await page.getByLabel('Title').fill('Closed on Monday');
  await page.getByLabel('Text').fill('We are closed on Monday. Appointments are moved to Tuesday.');
  await page.getByLabel('Text').blur();
}

async function take(page, name, path, act) {
  await page.goto(`${service.url}/console${path}`);
  await settled(page);
  if (act) await act(page);
  await sleep(500);
  await settled(page);
  const session = await page.context().newCDPSession(page); // playwright has no WebP
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await session.detach();
  const picture = Buffer.from(data, 'base64');
  writeFileSync(join(folder, `console-${name}.webp`), picture);
  console.log(`console-${name}.webp: ${picture.length} bytes`);
  if (picture.length > MAX_BYTES) process.exitCode = 1;
}

async function settled(page) {
  await page.locator('#main h1').waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}
