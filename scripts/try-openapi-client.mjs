// Generates a client from the OpenAPI document, compiles one call of each kind, and makes these calls.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import generateTypes, { astToString } from 'openapi-typescript';
import { AccountsService } from '../dist/src/auth/accounts/accounts.service.js';
import { ApiKeysService } from '../dist/src/auth/accounts/api-keys.service.js';
import { insertDemoScheduling } from '../dist/src/demo/demo-records.js';
import { DataSource } from 'typeorm';
import { fetchDocument, withApplication } from './with-application.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMPILER = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const COMPILER_OPTIONS = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'node20',
  strict: true,
  noUncheckedIndexedAccess: true,
  types: ['node'],
};

await withApplication(async ({ app, address, folder }) => {
  const project = join(folder, 'client');
  await writeProject(project, await fetchDocument(address));
  compile(project);
  await run(join(project, 'calls.js'), { FRONTDESK_URL: address, FRONTDESK_KEY: await createKey(app) });
});

async function writeProject(project, document) {
  mkdirSync(project);
  cpSync(join(ROOT, 'scripts', 'openapi-client', 'calls.ts'), join(project, 'calls.ts'));
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'schema.d.ts'), astToString(await generateTypes(document, { silent: true })));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['calls.ts'] }));
}

function compile(project) {
  const { status } = spawnSync(process.execPath, [COMPILER, '-p', project], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The generated client does not compile.');
}

async function createKey(app) {
  const account = await app.get(AccountsService).create('client');
  await insertDemoScheduling(app.get(DataSource).manager, account.id);
  const { key } = await app.get(ApiKeysService).create({ accountId: account.id, name: 'client' });
  return key;
}

async function run(file, env) {
  const child = spawn(process.execPath, [file], { stdio: 'inherit', env: { ...process.env, ...env } });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error('A call of the generated client failed.');
}
