// `frontdesk move` from SQLite to MariaDB and back, with the rows of a million deliveries, compared with a script that only copies their tables.
// Needs a build, and mariadbd. `--write` rewrites the section in RESULTS.md. The exit code is 1 if a target is missed.
// Usage: node bench/move.mjs [--deliveries 1000000] [--write]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Database from 'libsql';
import { makeAccounts } from './harness/accounts.mjs';
import { DELIVERIES, fillDeliveries } from './harness/fill.mjs';
import { describeMachine } from './harness/machine.mjs';
import { startMariadb } from './harness/mariadb.mjs';
import { peakMegabytes } from './harness/memory.mjs';
import { built } from './harness/paths.mjs';
import { hasEnded, start, temporaryFolder, track } from './harness/processes.mjs';
import { writeSection } from './harness/report.mjs';
import { startSqlite } from './harness/sqlite.mjs';
import { targetsTable } from './harness/targets.mjs';

const MAX_SECONDS = 180;
const MAX_MEGABYTES = 200;
const SCRIPT = join(import.meta.dirname, 'harness/plain-copy.mjs');
const POLL_MILLISECONDS = 50;

const { values: options } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '1000000' },
    write: { type: 'boolean', default: false },
  },
});
await measure(Number(options.deliveries));

async function measure(deliveries) {
  const folder = temporaryFolder('move');
  const sqlite = await startSqlite(folder);
  const machine = await describeMachine([]);
  const env = { PATH: process.env.PATH, HOME: folder, DATABASE_URL: sqlite.url, SECRETS_KEY: randomBytes(32).toString('base64') };
  const { small } = await makeAccounts(env);
  await fillDeliveries(sqlite, small.id, deliveries);
  const mariadb = await startMariadb(folder);
  const figures = await measureBoth(env, sqlite, mariadb, folder);
  await mariadb.stop();
  await report(figures, deliveries, [machine[0], `- Node ${process.version}`, `- ${mariadb.version}`, `- ${sqlite.version}`]);
}

/** Moves there and back, and runs the script each way for comparison. */
async function measureBoth(env, sqlite, mariadb, folder) {
  await mariadb.query('CREATE DATABASE plain');
  await mariadb.query('USE plain'); // a move refuses a database that another connection uses
  const there = await moved(env, sqlite.url, mariadb.url, folder);
  for (const table of DELIVERIES) await mariadb.query(`CREATE TABLE ${table} AS SELECT * FROM bench.${table} LIMIT 0`);
  there.script = await copied(sqlite.url, mariadb.url.replace(/bench$/, 'plain'));
  const [file, plain] = ['back', 'plain'].map((name) => `sqlite:${join(folder, name)}.sqlite`);
  const back = await moved(env, mariadb.url, file, folder);
  makeTables(plain, file);
  back.script = await copied(mariadb.url, plain);
  return { 'SQLite to MariaDB': there, 'MariaDB to SQLite': back };
}

async function moved(env, from, to, folder) {
  const log = join(folder, 'move.log');
  const child = start(process.execPath, [built('cli.js'), 'move', '--to', to], { env: { ...env, DATABASE_URL: from }, cwd: folder, log });
  const figure = await untilEnded(child);
  const text = readFileSync(log, 'utf8');
  if (child.exitCode !== 0) throw new Error(`The move ended with ${child.exitCode}:\n${text}`);
  const rows = [...text.matchAll(/: (\d+) rows?, the same on both sides/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  return { ...figure, rows };
}

async function copied(from, to) {
  const child = track(fork(SCRIPT, [from, to]));
  const figure = await untilEnded(child);
  if (child.exitCode !== 0) throw new Error(`The script ended with ${child.exitCode}.`);
  return figure;
}

async function untilEnded(child) {
  const begun = performance.now();
  const ended = once(child, 'exit');
  let megabytes;
  while (!hasEnded(child)) {
    megabytes = peakMegabytes(child.pid) ?? megabytes;
    await Promise.race([ended, sleep(POLL_MILLISECONDS)]);
  }
  return { seconds: (performance.now() - begun) / 1_000, megabytes };
}

/** The tables of a moved file, without their indexes. */
function makeTables(plain, moved) {
  const [file, movedFile] = [plain, moved].map((url) => url.slice('sqlite:'.length));
  const database = new Database(file);
  database.prepare('ATTACH ? AS moved').run(movedFile);
  for (const table of DELIVERIES) database.exec(`CREATE TABLE ${table} AS SELECT * FROM moved.${table} LIMIT 0`);
  database.close();
}

async function report(figures, deliveries, machine) {
  const ways = Object.entries(figures);
  const number = (value) => Math.round(value).toLocaleString('en-US');
  const header = ['from, to', 'rows', 'seconds', 'rows a second', 'memory', 'seconds of the script', 'its memory', 'ratio of time'];
  const lines = ways.map(([way, { rows, seconds, megabytes, script }]) => [
    ...[way, number(rows), number(seconds), number(rows / seconds), `${megabytes} MB`],
    ...[number(script.seconds), `${script.megabytes} MB`, `${(seconds / script.seconds).toFixed(1)}×`],
  ]);
  const table = [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const target = (text, figure, most, unit) => ({
    ...{ text, bound: `at most ${most} ${unit}`, measured: `${number(figure)} ${unit}`, isMet: figure <= most },
  });
  const targets = ways.flatMap(([way, { seconds, megabytes }]) => [
    target(`${way}: time`, seconds, MAX_SECONDS, 's'),
    target(`${way}: memory`, megabytes, MAX_MEGABYTES, 'MB'),
  ]);
  const source = `Measured on ${new Date().toISOString().slice(0, 10)} by \`node bench/move.mjs\`: \`frontdesk move\` of ${number(deliveries)} deliveries, a tenth as many messages, and an attempt and an event for each. Memory is the largest resident set of the command's process. The script only copies the same rows, into tables without indexes.`;
  const parts = [source, machine.join('\n'), table, targetsTable(targets)];
  console.log(parts.join('\n\n'));
  if (options.write) await writeSection('Moves to another database', parts);
  process.exit(targets.every(({ isMet }) => isMet) ? 0 : 1);
}
