import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeAccounts } from './accounts.mjs';
import { checkAgreement } from './agreement.mjs';
import { cpuTime } from './cpu.mjs';
import { fill } from './fill.mjs';
import { load } from './load.mjs';
import { profileWhile } from './profile.mjs';
import { temporaryFolder } from './processes.mjs';
import { startMariadb } from './mariadb.mjs';
import { startMysql } from './mysql.mjs';
import { startServer } from './servers.mjs';
import { startSqlite } from './sqlite.mjs';
import { walk } from './walk.mjs';
import { worksOf } from './works.mjs';

/** A figure from fewer responses is measured again, LONGER_FACTOR times as long. */
const MIN_ANSWERS = 20;
const LONGER_FACTOR = 5;
/** Longer than the service takes to walk the orders of a million records and to copy a text. */
const WALK_MS = 20_000;

const DATABASES = { mariadb: startMariadb, mysql: startMysql, sqlite: startSqlite };

/** Measures all workloads on one database, in every round. */
export async function measureOn(databaseName, chosenServers, options, logProgress) {
  const folder = temporaryFolder();
  const database = await DATABASES[databaseName](folder);
  const running = [];
  try {
    const env = environment(database.url, folder);
    logProgress(`${databaseName}: making accounts, filling tables`);
    const accounts = await makeAccounts(env);
    await fill(database, accounts, options);
    for (const server of chosenServers) running.push(await startServer(server, folder, env, accounts, options.profile));
    await checkAgreement(running, accounts);
    const works = worksOf(accounts).filter(({ name }) => isChosen(name, options.only));
    if (works.length === 0) throw new Error(`No work's name begins with ${options.only}: ${worksOf(accounts).map(({ name }) => name)}`);
    const figures = await measureRounds(running, works, accounts, options, (line) => logProgress(`${databaseName}: ${line}`));
    return { database: databaseName, version: database.version, works, figures };
  } finally {
    for (const server of running) await server.stop();
    await database.stop();
  }
}

/** Warms the caches that the service rebuilds after another process's writes; on SQLite, after writes to any table. */
async function readOnce({ address }, { key, agendamentos }) {
  for (const path of ['/scheduling?api=agendamentos&page=1', '/scheduling?api=agendamentos&nome=nobody', '/api/domains/?host=nobody']) {
    const response = await fetch(address + path, { headers: { Authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
  }
  await sleep(WALK_MS * Math.max(agendamentos / 1_000_000, 0.1));
}

/** Contains nothing from the caller's environment, so that a run is the same from every shell. */
function environment(url, folder) {
  return { PATH: process.env.PATH, HOME: folder, DOMAIN_CHECKS: 'off', DATABASE_URL: url, SECRETS_KEY: randomBytes(32).toString('base64') };
}

/** In each round, every server runs each work back to back; the starting server changes from round to round. */
async function measureRounds(servers, works, accounts, { rounds, seconds, warmUp }, logProgress) {
  const figures = [];
  const readers = works.some(({ name }) => /^(order|texts|hosts)/.test(name)) ? servers.filter(({ does }) => does.includes('order')) : [];
  for (let round = 0; round < rounds; round++) {
    for (const server of readers) await readOnce(server, accounts.large);
    for (const work of works) {
      for (const server of inTurn(servers, round)) {
        if (!server.does.includes(work.kind)) continue;
        const figure = await measure(server, work, accounts[work.account], round === 0 ? warmUp : 0, seconds);
        figures.push({ round, work: work.name, server: server.name, ...figure });
        const { files: _, ...shown } = figure;
        logProgress(`round ${round + 1}, ${work.name}, ${server.name}: ${JSON.stringify(shown)}`);
      }
    }
  }
  return figures;
}

async function measure(server, work, account, warmUp, seconds) {
  if (work.kind === 'walk') return walk(server, account);
  if (server.profile) return profileWhile(server, () => loadAlone(server, work, account, seconds));
  if (warmUp > 0) await loadAlone(server, work, account, warmUp);
  const figure = await loadAlone(server, work, account, seconds);
  const sure = figure.answered < MIN_ANSWERS ? await loadAlone(server, work, account, seconds * LONGER_FACTOR) : figure;
  if (sure.answered === 0) throw new Error(`${server.name}, ${work.name}: not one answer in ${seconds * LONGER_FACTOR} s.`);
  return sure;
}

/** Waits for requests still in flight when the load ends, so they don't slow the next server. */
async function loadAlone(server, work, account, seconds) {
  const before = cpuTime(server.pid);
  const figure = await load(server, work, account.key, seconds);
  await sleep(figure.p99);
  return { ...figure, cpu: (cpuTime(server.pid) - before) / figure.answered };
}

function inTurn(servers, round) {
  const begin = round % servers.length;
  return [...servers.slice(begin), ...servers.slice(0, begin)];
}

function isChosen(name, only) {
  return !only || only.some((beginning) => name.startsWith(beginning));
}
