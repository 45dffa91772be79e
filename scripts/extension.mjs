// Builds, checks and starts an extension outside of this folder, with the packed frontdesk, as a team and its operator would.
//   node scripts/extension.mjs <folder> <path of a list>
//   npm run test:extensions
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysqlBinary from '../test/support/servers/mysql-binary.cjs';
import { startMariadb } from '../bench/harness/mariadb.mjs';
import { freePort, hasEnded, run, start, stop, temporaryFolder } from '../bench/harness/processes.mjs';

const [EXTENSION, LIST] = process.argv.slice(2);
const { name: NAME } = JSON.parse(readFileSync(join(EXTENSION, 'package.json'), 'utf8'));
const work = temporaryFolder('extension');
const folder = join(work, basename(EXTENSION));
const installed = join(work, 'installed');
let archive;

const npm = (...args) => inFolder('npm', args);
const FRONTDESK = join('node_modules', '.bin', 'frontdesk');
const frontdesk = (env, ...args) => run(FRONTDESK, args, { cwd: installed, env: { ...process.env, ...env } });

await step('packs frontdesk', checkPackage);
await step('installs it beside the extension', install);
await step('lints', () => npm('run', 'lint'));
await step('refuses a deeper import', refuseDeepImport);
await step('builds', () => npm('run', 'build'));
await step('passes its tests on SQLite', () => npm('test'));
await step('passes its tests on MariaDB', testOnMariadb);
if (EXTENSION.startsWith('examples')) await step('is tested by Jest and Vitest, too', testWithOtherRunners);
await step('is packed, and installed from that', installPacked);
await step('starts, answers and ends, as an operator would have it', startAndStop);
process.exit(0);

async function step(title, work) {
  const before = process.hrtime.bigint();
  await work();
  console.log(`${NAME} ${title}: ${(Number(process.hrtime.bigint() - before) / 1e9).toFixed(1)} s`);
}

async function checkPackage() {
  const [{ files, filename }] = packed(await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work]));
  archive = join(work, filename);
  checkFiles(files, ['dist/src/public.js', 'dist/src/public.d.ts', 'dist/src/cli.js']);
}

async function installPacked() {
  const [{ files, filename }] = packed(await npm('pack', '--json', '--pack-destination', work));
  checkFiles(files, ['dist/index.js', 'dist/index.d.ts']);
  mkdirSync(installed);
  const archives = [archive, join(work, filename)];
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', ...archives], { cwd: installed });
}

/** Scripts of npm may print before. npm 12 gives an object by name. */
function packed(output) {
  return Object.values(JSON.parse(output.slice(output.search(/^[[{]/m))));
}

function checkFiles(files, needed) {
  const paths = files.map(({ path }) => path);
  for (const path of needed) assert(paths.includes(path), `The package lacks ${path}.`);
  const unwanted = paths.filter((path) => /\.map$|\.tsbuildinfo$|\.(test|spec)\.[jt]s$|(?<!\.d)\.ts$|^(test|build)\//.test(path));
  assert.deepEqual(unwanted, []);
}

async function install() {
  const own = new Set(['build', 'dist', 'node_modules']);
  cpSync(EXTENSION, folder, { recursive: true, filter: (path) => !own.has(path.slice(EXTENSION.length + 1)) });
  await npm('install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-save', archive);
}

async function refuseDeepImport() {
  const file = join(folder, 'src', 'deep.ts');
  writeFileSync(file, "import 'frontdesk/dist/src/main';\n");
  await assert.rejects(npm('run', 'lint'), /no-restricted-imports/);
  rmSync(file);
}

async function testOnMariadb() {
  if (!mysqlBinary.findMysqlServer()) throw new Error('There is no mariadbd here: apt-get install mariadb-server');
  const database = await startMariadb(temporaryFolder('mariadb'));
  await inFolder('npm', ['test'], { DATABASE_URL: database.url });
  await database.stop();
}

/** Both load modules by themselves. */
async function testWithOtherRunners() {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  await npm(
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--no-save',
    '--prefer-offline',
    `jest@${devDependencies.jest}`,
    'vitest@4',
    archive,
  );
  const body = `
test('a daily job runs', async () => {
  const sandbox = await startSandbox({ extensions: ['./dist'] });
  await sandbox.advance('1d');
  expect(sandbox.sent()).toEqual([]);
  await sandbox.stop();
});`;
  writeFileSync(join(folder, 'jest.cjs'), `const { startSandbox } = require('frontdesk/testing');${body}`);
  writeFileSync(
    join(folder, 'vitest.test.mjs'),
    `import { startSandbox } from 'frontdesk/testing';import { expect, test } from 'vitest';${body}`,
  );
  const jest = ['jest', '--rootDir', '.', '--testMatch', '**/jest.cjs', '--testEnvironment', 'frontdesk/testing/jest'];
  await inFolder('npx', [...jest, '--testTimeout', '60000']);
  await inFolder('npx', ['vitest', 'run', '--dir', '.', 'vitest.test.mjs', '--testTimeout', '60000']);
}

async function startAndStop() {
  const port = String(await freePort());
  const env = { EXTENSIONS: NAME, PORT: port, NODE_ENV: 'production' };
  const log = join(work, 'start.log');
  const server = start(FRONTDESK, ['start'], { cwd: installed, env: { ...process.env, ...env }, log });
  await until(async () => hasEnded(server) || (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.ok, log);
  await frontdesk(env, 'accounts', 'create', 'acme');
  const key = (await frontdesk(env, 'keys', 'create', '--account', 'acme', '--name', 'shop')).trim();
  const response = await fetch(`http://127.0.0.1:${port}${LIST}`, { headers: { Authorization: `Bearer ${key}` } });
  assert.deepEqual([response.status, (await response.json()).data], [200, []]);
  await stop(server); // as a supervisor does, which signals this process alone
  assert.equal(server.exitCode, 0);
  assert.match(readFileSync(log, 'utf8'), /Shut down\./);
}

/** @throws Error with the service's log after a minute */
async function until(isTrue, log) {
  for (let tries = 0; tries < 600; tries++) {
    if (await isTrue()) return;
    await sleep(100);
  }
  throw new Error(`The service says:\n${readFileSync(log, 'utf8')}`);
}

function inFolder(command, args, env = {}) {
  return run(command, args, { cwd: folder, env: { ...process.env, ...env } });
}
