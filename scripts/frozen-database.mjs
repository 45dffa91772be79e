// Writes a database as this version makes it, and what it answers, into test/platform/database/released/<version>/, where a test starts
// every later version on it. For a release that has a migration; what is there stays as it is. After `npx nest build`:
//   node scripts/frozen-database.mjs sqlite
//   node scripts/frozen-database.mjs mysql://root@127.0.0.1:3306/                                   a MariaDB
//   scripts/mysql-server.sh run sh -c 'node scripts/frozen-database.mjs "$TEST_MYSQL_URL"'          MySQL's own
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Libsql from 'libsql';
import { createConnection } from 'mysql2/promise';
import { ApiKeysService } from '../dist/src/auth/accounts/api-keys.service.js';
import { RoutePolicies } from '../dist/src/auth/route-policies.js';
import { Config } from '../dist/src/platform/config/config.js';
import { startSandbox } from '../dist/src/programs/sandbox/testing.js';
import { createRecords, requestsOf } from './frozen-records.mjs';

/** So that the test's application answers with the same links and limits. */
const SETTINGS = { PUBLIC_URL: 'https://frontdesk.test', DELIVERY_DAILY_LIMIT: 'discord=8' };
const SECRETS_KEY = Buffer.alloc(32, 'frozen').toString('base64');

const place = process.argv[2];
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const folder = join('test/platform/database/released', version);
mkdirSync(folder, { recursive: true });

const sandbox = await startSandbox({ database: place, env: { ...SETTINGS, SECRETS_KEY, TWILIO_STATUS: 'on' } });
try {
  const { scopes } = sandbox.get(RoutePolicies); // keys:write, too
  sandbox.key = (await sandbox.get(ApiKeysService).create({ accountId: 1, name: 'owner', scopes })).key;
  await createRecords(sandbox);
  const answers = await record();
  const { name, content } = place === 'sqlite' ? copyFile() : await dump();
  const { secretsKeys } = sandbox.get(Config);
  const [secretsKey] = secretsKeys.map((key) => key.toString('base64'));
  const given = { now: sandbox.now.getTime(), env: { ...SETTINGS, SECRETS_KEY: secretsKey }, key: sandbox.key };
  writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, `${name.split('.')[0]}.json`), toText(given, answers));
} finally {
  await sandbox.stop();
}

/** JSON with one answer per line, so that a diff shows which of them differ. */
function toText(given, answers) {
  return `${JSON.stringify(given).slice(0, -1)},"answers":[\n${answers.map((answer) => JSON.stringify(answer)).join(',\n')}\n]}\n`;
}

/** What each request is answered, which doesn't change when it is sent again. */
async function record() {
  const requests = await requestsOf(ask);
  await askAll(requests); // the first time, each may write: when the key was used
  await sandbox.settle();
  const answers = await askAll(requests);
  const again = await askAll(requests);
  for (const [index, answer] of answers.entries()) assert.deepEqual(again[index], answer);
  return answers;
}

async function askAll(requests) {
  const answers = [];
  for (const request of requests) answers.push({ ...request, ...(await ask(request)) });
  return answers;
}

async function ask({ method = 'GET', path, headers, form }) {
  const body = form && new URLSearchParams(form);
  const response = await fetch(sandbox.url + path, { method, body, headers: { ...headers, authorization: `Bearer ${sandbox.key}` } });
  return { status: response.status, etag: response.headers.get('etag'), body: await response.text() };
}

function copyFile() {
  const temporary = mkdtempSync(join(tmpdir(), 'frontdesk-frozen-'));
  const copy = join(temporary, 'copy.sqlite');
  const file = new Libsql(sandbox.get(Config).database.file);
  file.exec(`VACUUM INTO '${copy}'`);
  for (const { name } of file.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all())
    requireRows(name, file.prepare(`SELECT COUNT(*) AS count FROM "${name}"`).get().count);
  file.close();
  const content = gzipSync(readFileSync(copy), { level: 9 });
  rmSync(temporary, { recursive: true });
  return { name: 'sqlite.gz', content };
}

/** The tables as the server describes them, and their rows: without mariadb-dump and mysqldump, which reach only their own server. */
async function dump() {
  const connection = await createConnection({ ...sandbox.get(Config).database.server, supportBigNumbers: true, bigNumberStrings: true });
  const [[{ version: server }]] = await connection.query('SELECT VERSION() AS version');
  const [tables] = await connection.query({ sql: 'SHOW TABLES', rowsAsArray: true });
  const statements = ['SET foreign_key_checks = 0'];
  for (const [table] of tables) {
    const [[[, create]]] = await connection.query({ sql: `SHOW CREATE TABLE \`${table}\``, rowsAsArray: true });
    const [rows] = await connection.query({ sql: `SELECT * FROM \`${table}\``, rowsAsArray: true });
    requireRows(table, rows.length);
    statements.push(create, `INSERT INTO \`${table}\` VALUES\n${rows.map((row) => `(${connection.escape(row)})`).join(',\n')}`);
  }
  await connection.end();
  const name = server.includes('MariaDB') ? 'mariadb.sql' : 'mysql.sql';
  return { name, content: `-- ${server}\n${statements.map((statement) => `${statement};\n`).join('')}` };
}

function requireRows(table, count) {
  assert.ok(Number(count) > 0, `${table} has no row: let createRecords() make one.`);
}
