// Webhooks to a local receiver, 32 at once: the service with a backlog in its database, beside scripts that post the same bodies
// without one. Needs a build, and mariadbd for MariaDB.
// Usage: node bench/deliveries.mjs [rounds] [deliveries]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Agent, createServer, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime } from './harness/cpu.mjs';
import { startMariadb } from './harness/mariadb.mjs';
import { built } from './harness/paths.mjs';
import { freePort, run, start, stop, temporaryFolder } from './harness/processes.mjs';
import { startSqlite } from './harness/sqlite.mjs';
import { median } from './harness/statistics.mjs';

const AT_ONCE = 32;
const ACCOUNTS = 4;
const HANDLERS = 40;
const CHUNK = 500;
const MESSAGE = { title: 'Backup failed', text: 'The backup of 3 a.m. failed.', url: 'https://status.example.com/backups' };
const BODY = JSON.stringify({ type: 'message', timestamp: '2026-11-22T08:00:00Z', data: { message_id: 1, delivery_id: 1, ...MESSAGE } });
/** The first deliveries warm up. */
const WARM = 0.2;
const [, file, role, ...args] = process.argv;

if (role === 'receive') receive();
else if (role === 'post') await post(...args);
else await compare(Number(role ?? 5), Number(args[0] ?? 40_000));

/** Counts requests; says how many on every message. */
function receive() {
  let count = 0;
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => {
      count++;
      response.end('ok');
    });
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.on('message', () => process.send(count));
}

/** Posts as fast as 32 at once allow, with Node's agent or through the service's own client. */
async function post(way, port, total) {
  const url = `http://127.0.0.1:${port}/hook`;
  const send = way === 'node' ? postWithNode(url) : postWithOutbound(url);
  let left = Number(total);
  let started;
  const worker = async () => {
    while (left-- > 0) {
      if (left < total * (1 - WARM)) started ??= [left, performance.now(), process.cpuUsage()];
      await send();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const [count, time, cpu] = started;
  const { user, system } = process.cpuUsage(cpu);
  process.send({ rate: count / ((performance.now() - time) / 1_000), cpu: (user + system) / count }, () => process.exit());
}

function postWithNode(url) {
  const agent = new Agent({ keepAlive: true });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(BODY) };
  return () =>
    new Promise((resolve, reject) => {
      request(url, { method: 'POST', agent, headers }, (response) => response.resume().once('end', resolve))
        .once('error', reject)
        .end(BODY);
    });
}

function postWithOutbound(url) {
  const load = createRequire(import.meta.url);
  load('reflect-metadata');
  const { Config } = load(built('config/config.js'));
  const { Outbound } = load(built('outbound/outbound.js'));
  const outbound = new Outbound(new Config({ OUTBOUND_ALLOW: '127.0.0.1/32' }));
  const headers = { 'Content-Type': 'application/json' };
  const sent = { url, headers, body: BODY, isTrusted: false, needsNewConnection: false, readsBody: () => false, needsWholeBody: false };
  const options = { deadlineMs: 10_000, mayWrite: () => true, giveBack: new AbortController().signal };
  return () => outbound.post(sent, options);
}

async function compare(rounds, total) {
  const folder = temporaryFolder();
  const receiver = fork(file, ['receive']);
  const [port] = await once(receiver, 'message');
  const databases = [await startMariadb(folder), await startSqlite(folder)];
  const figures = {};
  const note = (name, figure) => {
    (figures[name] ??= []).push(figure);
    console.log(`${name}: ${Math.round(figure.rate)}/s, CPU ${figure.cpu.toFixed(0)} µs each`);
  };
  const services = [];
  for (const database of databases) services.push([database, await prepare(database, folder, port)]);
  for (let round = 0; round < rounds; round++) {
    for (const way of ['node', 'outbound']) {
      const poster = fork(file, ['post', way, port, total]);
      note(`script, ${way === 'node' ? "Node's agent" : "the service's client"}`, (await once(poster, 'message'))[0]);
    }
    for (const [database, env] of services) note(`service, ${database.name}`, await deliver(database, env, receiver, total, folder));
  }
  const rate = (name) => median(figures[name].map((figure) => figure.rate));
  const [bare, client, ...ours] = Object.keys(figures);
  for (const name of ours) {
    console.log(
      `${name}: ${(rate(name) / rate(client)).toFixed(2)} of the client alone, ${(rate(name) / rate(bare)).toFixed(2)} of ${bare}`,
    );
  }
  for (const database of databases) await database.stop();
  receiver.kill();
}

/** Accounts with webhook handlers; returns the service's environment. */
async function prepare(database, folder, port) {
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, DATABASE_URL: database.url, SECRETS_KEY: randomBytes(32).toString('base64') },
    ...{ NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(await freePort()), OUTBOUND_ALLOW: '127.0.0.1/32', DEMO: 'off' },
  };
  const frontdesk = (...words) => run(process.execPath, [built('cli.js'), ...words], { env, cwd: folder });
  await frontdesk('migrate');
  const service = await startService(database, { ...env, DELIVERY_CONCURRENCY: '0' }, folder);
  for (let account = 1; account <= ACCOUNTS; account++) {
    await frontdesk('accounts', 'create', `account ${account}`);
    const { key } = JSON.parse(await frontdesk('keys', 'create', '--account', `account ${account}`, '--json'));
    for (let count = 0; count < HANDLERS / ACCOUNTS; count++) {
      await fetch(`http://127.0.0.1:${env.PORT}/api/notification-handlers`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
        body: new URLSearchParams({ name: 'Pager', type: 'webhook', webhook: `http://127.0.0.1:${port}/hook` }),
      });
    }
  }
  await stop(service);
  return env;
}

async function startService(database, env, folder) {
  const service = start(process.execPath, [built('main.js')], { env, cwd: folder, log: join(folder, `${database.name}.log`) });
  while (!(await fetch(`http://127.0.0.1:${env.PORT}/health/ready`).catch(() => undefined))?.ok) await sleep(50);
  return service;
}

/** Fills the queue, starts the service, and measures from a fifth of the deliveries to nine tenths. */
async function deliver(database, env, receiver, total, folder) {
  await fill(database, total);
  const counted = async () => {
    receiver.send('count');
    return (await once(receiver, 'message'))[0];
  };
  const before = await counted();
  const service = await startService(database, env, folder);
  const until = async (share) => {
    for (;;) {
      const count = (await counted()) - before;
      if (count >= total * share) return { count, time: performance.now(), cpu: cpuTime(service.pid) };
      await sleep(5);
    }
  };
  const first = await until(WARM);
  const last = await until(0.9);
  await until(1);
  await stop(service);
  const count = last.count - first.count;
  return { rate: count / ((last.time - first.time) / 1_000), cpu: (last.cpu - first.cpu) / count };
}

async function fill(database, total) {
  const [{ now }] = [{ now: Date.now() }];
  for (let account = 1; account <= ACCOUNTS; account++) {
    await database.query('INSERT INTO messages (account_id, title, text, url, datetime) VALUES (?, ?, ?, ?, ?)', [
      account,
      MESSAGE.title,
      MESSAGE.text,
      MESSAGE.url,
      '2026-11-22 08:00:00',
    ]);
    const [{ id }] = await database.query('SELECT MAX(id) AS id FROM messages');
    for (let handler = account; handler <= HANDLERS; handler += ACCOUNTS) {
      const owner = Math.ceil(handler / (HANDLERS / ACCOUNTS));
      const row = `(${owner}, ${id}, ${handler}, 'webhook', 'webhook:${handler}', 'pending', 0, 0, ${now}, 0, '2026-11-22 08:00:00')`;
      for (let left = total / HANDLERS; left > 0; left -= CHUNK) {
        await database.query(
          `INSERT INTO deliveries (account_id, message_id, handler_id, type, lane, status, attempts, tries, next_attempt, is_counted, datetime)
           VALUES ${Array.from({ length: Math.min(CHUNK, left) }, () => row).join(', ')}`,
        );
      }
      await database.query(`DELETE FROM delivery_lanes WHERE lane = 'webhook:${handler}'`);
      await database.query(
        `INSERT INTO delivery_lanes (account_id, lane, available, paused_until, is_slow, last_ms, last_claim)
         VALUES (${owner}, 'webhook:${handler}', ${now}, 0, 0, 0, 0)`,
      );
    }
  }
}
