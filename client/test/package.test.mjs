// Installs the packed client in an empty TypeScript project, and tries it there, in Node and in a browser.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { startSandbox } from '../../dist/src/programs/sandbox/testing.js';

const run = promisify(execFile);
const CLIENT = join(import.meta.dirname, '..');
const README = readFileSync(join(CLIENT, 'README.md'), 'utf8');
const CHROMIUM = [process.env.CHROMIUM_PATH ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);
const isNeeded = process.env.CI === 'true';
const project = mkdtempSync(join(tmpdir(), 'frontdesk-client-'));
const pages = createServer(servePage);
let sandbox;

before(async () => {
  await once(pages.listen(0, '127.0.0.1'), 'listening');
  sandbox = await startSandbox({ env: { CORS_ORIGINS: `http://shop.test,${originOf(pages)}` } });
  await run('npm', ['pack', CLIENT, '--ignore-scripts', '--pack-destination', project]);
  await createProject();
});

after(async () => {
  await sandbox.stop();
  pages.close();
  rmSync(project, { recursive: true });
});

test('one call of each kind compiles under strict and succeeds', async () => {
  await load('calls.js');
});

test('every block of the README compiles and runs', async () => {
  const { id, receive } = await load('readme.js');
  await sandbox.settle({ id });
  const ofBackup = sandbox.sent({ account: id }).filter(({ readable }) => readable.text === 'It failed.');
  assert.equal(ofBackup.length, 1); // sent twice under one key; the message in steps is another
  const [{ request }] = ofBackup;
  const receiveWith = (body) => receive(new Request(request.url, { method: 'POST', headers: request.headers, body }));
  assert.equal((await receiveWith(request.body)).status, 204);
  assert.equal((await receiveWith(`${request.body} `)).status, 400);
});

test(
  'the page of the README works in a browser, also without TLS',
  { skip: !CHROMIUM && !isNeeded && 'There is no chromium.' },
  async () => {
    assert(CHROMIUM, 'Set CHROMIUM_PATH, or install chromium.');
    const args = ['--no-sandbox', `--host-resolver-rules=MAP shop.test ${new URL(originOf(pages)).host}`];
    const browser = await chromium.launch({ executablePath: CHROMIUM, args });
    try {
      for (const origin of ['http://shop.test', originOf(pages)]) {
        await sandbox.reset();
        const { key } = await sandbox.account();
        const page = await browser.newPage();
        await page.goto(`${origin}/#${new URLSearchParams({ url: sandbox.url, key })}`);
        await page.waitForFunction(() => document.title === 'browser.example.com');
        if (await page.evaluate(() => isSecureContext))
          assert.deepEqual(await page.evaluate(verifyInPage), [2432232314, 'invalid_signature']);
      }
    } finally {
      await browser.close();
    }
  },
);

async function createProject() {
  const { version, devDependencies } = JSON.parse(readFileSync(join(CLIENT, '..', 'package.json'), 'utf8'));
  const packages = ['typescript', '@types/node'].map((name) => `${name}@${devDependencies[name]}`);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  const flags = ['--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...flags, `./frontdesk-client-${version}.tgz`, ...packages], { cwd: project });
  cpSync(join(import.meta.dirname, 'calls.ts'), join(project, 'calls.ts'));
  writeFileSync(join(project, 'readme.ts'), blocksOf('ts').join('\n'));
  const options = ['--strict', '--noUncheckedIndexedAccess', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  await run('npx', ['tsc', ...options, 'calls.ts', 'readme.ts'], { cwd: project }).catch(({ stdout }) => assert.fail(stdout));
}

function blocksOf(language) {
  return [...README.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code);
}

/** Runs a compiled file with the key of a new account. */
async function load(file) {
  const { id, key } = await sandbox.account();
  Object.assign(process.env, { FRONTDESK_URL: sandbox.url, FRONTDESK_KEY: key });
  return { id, ...(await import(pathToFileURL(join(project, file)))) };
}

function originOf(server) {
  return `http://127.0.0.1:${server.address().port}`;
}

/** The README's page, and the installed packages. */
function servePage({ url }, response) {
  if (url === '/') return response.writeHead(200, { 'Content-Type': 'text/html' }).end(blocksOf('html').join(''));
  const file = join(project, new URL(url, 'http://localhost').pathname);
  if (!existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(readFileSync(file));
}

/** The test vector of Standard Webhooks. */
async function verifyInPage() {
  const { verifyWebhook } = await import('@frontdesk/client');
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const verify = (body) => verifyWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', headers, body, { now: 1614265330_000 });
  const { test } = await verify('{"test": 2432232314}');
  return [test, await verify('{"test": 2}').catch(({ code }) => code)];
}
