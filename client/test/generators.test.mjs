// Clients from other generators: each compiles under strict and calls the service.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { startSandbox } from '../../dist/src/programs/sandbox/testing.js';

const run = promisify(execFile);
const GENERATORS = ['orval', 'hey-api', 'swagger-typescript-api'];
const project = mkdtempSync(join(tmpdir(), 'frontdesk-generators-'));
const require = createRequire(join(project, 'package.json'));
let sandbox;

before(async () => {
  sandbox = await startSandbox();
  cpSync(join(import.meta.dirname, 'generators'), project, { recursive: true });
  await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: project });
  const { servers, ...document } = await (await fetch(`${sandbox.url}/openapi.json`)).json();
  assert.equal(servers.length, 1);
  writeFileSync(join(project, 'openapi.json'), JSON.stringify({ ...document, servers: [{ url: sandbox.url }] }));
  await run(process.execPath, ['generate.mjs', 'openapi.json'], { cwd: project });
});

after(async () => {
  await sandbox.stop();
  rmSync(project, { recursive: true });
});

for (const generator of GENERATORS)
  test(`the client of ${generator} compiles under strict, and sends a form with a list`, async () => {
    const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
    await run('npx', ['tsc', ...options, `${generator}.ts`], { cwd: project }).catch(({ stdout }) => assert.fail(stdout));
    const { key } = await sandbox.account();
    const message = await require(`./${generator}.js`).call(key);
    const headers = { Authorization: `Bearer ${key}` };
    const { data } = await (await fetch(`${sandbox.url}/api/deliveries?message_id=${message}`, { headers })).json();
    const { data: handlers } = await (await fetch(`${sandbox.url}/api/notification-handlers?is_enabled=1`, { headers })).json();
    assert.equal(data.length, 2);
    assert.deepEqual(data.map(({ handler_id }) => handler_id).sort(), handlers.map(({ id }) => id).sort());
  });
