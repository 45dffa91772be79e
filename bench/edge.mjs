// The edge with a million domains on MariaDB: redirects beside a bare node:http server that looks hosts up in a Map, memory, the answers to
// a TLS proxy, and the interface beside a flood of the edge, and the other way around. Needs a build, mariadbd, wrk and two cores: what is
// measured has one of its own. Usage: node bench/edge.mjs [rounds] [domains]
import { execFileSync, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawConnection, requestBytes } from '../faults/harness/raw-connection.mjs';
import { quantile } from '../faults/harness/quantile.mjs';
import { cpuTime } from './harness/cpu.mjs';
import { verifyDomains } from './harness/fill.mjs';
import { startMariadb } from './harness/mariadb.mjs';
import { built } from './harness/paths.mjs';
import { freePort, run, start, stop, temporaryFolder, track } from './harness/processes.mjs';
import { median } from './harness/statistics.mjs';
import { requireWrk, runWrk } from './harness/wrk.mjs';

const SECONDS = 4;
/** At 100 requests per second, a shorter run's p99 would show only a hiccup or two. */
const SECONDS_BESIDE = 10;
/** Logs are kept in memory: a shared machine's disk takes more of a redirect's time than the rest, and in production, logs go to a pipe. */
const LOGS = '/dev/shm';
const CONNECTIONS = 32;
const [CORE, OTHER_CORE] = [0, 1];
const READ = '/api/domains/1';
const ASK = '/.frontdesk/ask?domain=';
const [, file, role, ...args] = process.argv;
const hostOf = (number) => `www${number}.edge.example.com`;
const indexOf = (number) => `https://shop.example.com/welcome/${String(number).padStart(8, '0')}`;
const notFoundOf = (number) => `https://shop.example.com/missing/${String(number).padStart(8, '0')}`;
const say = (what, figure) => console.log(`${what}: ${figure}`);

if (role === 'bare') bare(Number(args[0]));
else if (role === 'pace') await pace(JSON.parse(args[0]));
else await measure(Number(role ?? 5), Number(args[0] ?? 1_000_000));

function bare(domains) {
  const urls = new Map(Array.from({ length: domains }, (_, index) => [hostOf(index + 1), indexOf(index + 1)]));
  createServer((request, response) => {
    const location = urls.get(request.headers.host);
    if (location) response.writeHead(302, { Location: location }).end();
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1', function () {
    process.send(this.address().port);
  });
}

/** Requests random hosts, or one path, at a steady rate; reports the latencies' p50 and p99 in milliseconds. */
async function pace({ port, key, rate, seconds, path, domains, unknown }) {
  const free = Array.from({ length: 64 }, () => new RawConnection(port));
  const latencies = [];
  const statuses = {};
  const begun = performance.now();
  const sent = [];
  for (let count = 0; count < rate * seconds; count++) {
    const wait = begun + (count * 1_000) / rate - performance.now();
    if (wait > 0) await sleep(wait);
    const number = Math.ceil(Math.random() * domains);
    const host = unknown && count % 2 ? `no${randomBytes(8).toString('hex')}.edge.example.com` : hostOf(number);
    const bytes = requestBytes('GET', path === ASK ? ASK + host : path, key ? { Authorization: `Bearer ${key}` } : { Host: host });
    const connection = free.pop() ?? new RawConnection(port);
    const from = performance.now();
    sent.push(
      connection.exchange(bytes).then(({ status }) => {
        latencies.push(performance.now() - from);
        statuses[status] = (statuses[status] ?? 0) + 1;
        free.push(connection);
      }),
    );
  }
  await Promise.all(sent);
  process.send({ p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), statuses }, () => process.exit(0));
}

async function measure(rounds, domains) {
  await requireWrk();
  const folder = temporaryFolder('edge');
  const database = await startMariadb(folder);
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, DATABASE_URL: database.url, SECRETS_KEY: randomBytes(32).toString('base64'), DEMO: 'off' },
    ...{ NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(await freePort()), DELIVERY_CONCURRENCY: '0', DOMAIN_CHECKS: 'off' },
  };
  const frontdesk = (...words) => run(process.execPath, [built('cli.js'), ...words], { env, cwd: folder });
  await frontdesk('migrate');
  await frontdesk('accounts', 'create', 'bench');
  const { key } = JSON.parse(await frontdesk('keys', 'create', '--account', 'bench', '--json'));
  await fill(database, domains);

  const without = await startService(env, folder);
  await flood(env.PORT, { key, path: READ, seconds: 2 }); // memory is measured after some load
  const before = megabytes(without.pid);
  await stop(without);
  const [edgePort, metricsPort] = [await freePort(), await freePort()];
  const begun = performance.now();
  const service = await startService({ ...env, EDGE_PORT: String(edgePort), METRICS_PORT: String(metricsPort) }, folder);
  say('ready, with all hosts loaded, in', `${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  const edge = edgeOf(service);
  if ((await hostsInMemory(metricsPort)) < domains) throw new Error('Hosts are missing.');
  await flood(env.PORT, { key, path: READ, seconds: 2 });
  await sleep(3_000);
  const grown = megabytes(service.pid) + megabytes(edge) - before;
  say(`memory of ${domains} domains`, `${grown.toFixed(0)} MB more than without an edge (${before.toFixed(0)} MB)`);
  const child = track(fork(file, ['bare', domains]));
  const [barePort] = await once(child, 'message');
  await compareRedirects(edge, child, barePort, edgePort, rounds, domains);
  await measureAsks(database, edgePort, barePort, rounds, domains);
  child.kill();
  await stop(service);
  await database.stop();
  await measureBeside({ ...env, DATABASE_URL: `sqlite:${join(folder, 'beside.sqlite')}`, EDGE_PORT: String(edgePort) }, folder, rounds);
}

async function fill(database, domains) {
  const time = '2026-11-22 08:00:00';
  await database.query(`INSERT INTO domains (account_id, scheme, host, custom_index_url, custom_not_found_url, is_enabled, datetime)
    SELECT 1, 'https://', concat('www', seq, '.edge.example.com'), concat('https://shop.example.com/welcome/', lpad(seq, 8, '0')),
    concat('https://shop.example.com/missing/', lpad(seq, 8, '0')), 1, '${time}' FROM seq_1_to_${domains}`);
  await verifyDomains(database);
  await database.settle(['domains', 'domain_verifications']);
}

async function startService(env, folder) {
  const log = join(temporaryFolder('edge-log', LOGS), 'service.log');
  const service = start(process.execPath, [built('main.js')], { env, cwd: folder, log });
  while (!(await fetch(`http://127.0.0.1:${env.PORT}/health/ready`).catch(() => undefined))?.ok) await sleep(50);
  return service;
}

async function hostsInMemory(metricsPort) {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^frontdesk_edge_hosts (\d+)/m.exec(text)?.[1] ?? 0);
}

/** The process of the edge, once it has started. */
function edgeOf({ pid }) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').endsWith('\0edge\0'));
}

/** Memory that a process would free by ending, plus its share of memory shared with others, such as Node's code. */
function megabytes(pid) {
  return (Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) * 1_024) / 1e6;
}

/** Redirects per second of either server alone on a core, and the CPU time per redirect. */
async function compareRedirects(edge, child, port, edgePort, rounds, domains) {
  const servers = [
    { name: 'bare', pid: child.pid, port, figures: [] },
    { name: 'edge', pid: edge, port: edgePort, figures: [] },
  ];
  for (const { pid } of servers) pin(pid, CORE);
  for (const { port: each } of servers) await flood(each, { domains });
  for (let round = 0; round < rounds; round++) {
    for (const { pid, port: each, figures } of servers.toReversed()) {
      const cpu = cpuTime(pid);
      const { answered, rate } = await flood(each, { domains, seconds: SECONDS });
      figures.push({ rate, cpu: (cpuTime(pid) - cpu) / answered });
    }
    servers.reverse();
  }
  const [bareRate, edgeRate] = ['bare', 'edge'].map((each) => servers.find(({ name }) => name === each).figures);
  for (const { name, figures } of servers) {
    say(
      `redirects, ${name}`,
      `${Math.round(median(figures.map(({ rate }) => rate)))}/s, CPU ${median(figures.map(({ cpu }) => cpu)).toFixed(1)} µs each`,
    );
  }
  const ratio = (what) => median(edgeRate.map((figure, index) => figure[what] / bareRate[index][what]));
  say('redirects, edge to bare', `${ratio('rate').toFixed(2)} of the rate, ${(1 / ratio('cpu')).toFixed(2)} by CPU time`);
  pin(edge, `${CORE},${OTHER_CORE}`);
}

async function measureAsks(database, port, barePort, rounds, domains) {
  const options = { port, rate: 200, seconds: SECONDS, path: ASK, domains };
  const queries = async () => Number((await database.query("SHOW GLOBAL STATUS LIKE 'Com_select'"))[0].Value);
  const idle = await counting(queries, () => sleep(SECONDS * 1_000));
  const known = await counting(queries, () => paced(options));
  say('asks of known hosts', `${known.count - idle.count} queries more than the ${idle.count} without, ${JSON.stringify(known.result)}`);
  const p99 = { edge: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    p99.edge.push((await paced({ ...options, unknown: true })).p99);
    p99.bare.push((await paced({ ...options, port: barePort, path: '/' })).p99);
  }
  const [edge, bare] = [p99.edge, p99.bare].map((each) => median(each).toFixed(2));
  say('asks, half unknown, p99', `${edge} ms; of the bare server ${bare} ms`);
}

/** Each listener's process shares a core with its clients. Uses SQLite: MariaDB would need a third core. */
async function measureBeside(env, folder, rounds) {
  const domains = 1;
  const { PORT: port, EDGE_PORT: edgePort } = env;
  const frontdesk = (...words) => run(process.execPath, [built('cli.js'), ...words], { env, cwd: folder });
  await frontdesk('accounts', 'create', 'bench');
  const { key } = JSON.parse(await frontdesk('keys', 'create', '--account', 'bench', '--json'));
  const service = await startService(env, folder);
  const form = new URLSearchParams({ host: hostOf(1), custom_index_url: indexOf(1) });
  await fetch(`http://127.0.0.1:${port}/api/domains`, { method: 'POST', body: form, headers: { Authorization: `Bearer ${key}` } });
  await frontdesk('domains', 'verify', '1');
  await sleep(2_000);
  const list = { port, key, rate: 100, seconds: SECONDS_BESIDE, path: READ, domains };
  const redirect = { port: edgePort, rate: 100, seconds: SECONDS_BESIDE, path: '/', domains };
  const cases = [
    { name: 'reads beside a flood of the edge', own: list, flooded: { port: edgePort, domains }, core: CORE },
    { name: 'redirects beside a flood of reads', own: redirect, flooded: { port, key, path: list.path }, core: OTHER_CORE },
  ];
  pin(service.pid, OTHER_CORE);
  pin(edgeOf(service), CORE);
  for (const { name, own, flooded, core } of cases) {
    const [alone, beside] = [[], []];
    const ownCore = core === CORE ? OTHER_CORE : CORE;
    for (let round = 0; round < rounds; round++) {
      alone.push((await paced(own, ownCore)).p99);
      const flooding = flood(flooded.port, { ...flooded, seconds: SECONDS_BESIDE + 1, core });
      await sleep(500);
      beside.push((await paced(own, ownCore)).p99);
      await flooding;
    }
    say(name, `p99 ${median(alone).toFixed(2)} → ${median(beside).toFixed(2)} ms, ${(median(beside) / median(alone)).toFixed(2)}×`);
  }
  await stop(service);
}

async function counting(read, work) {
  const before = await read();
  const result = await work();
  return { result, count: (await read()) - before };
}

async function paced(options, core = OTHER_CORE) {
  const child = track(fork(file, ['pace', JSON.stringify(options)]));
  pin(child.pid, core);
  return (await once(child, 'message'))[0];
}

async function flood(port, { domains = 1, path = '/', seconds = 1, key, core = OTHER_CORE }) {
  const args = [domains, path, ...(key ? [`Bearer ${key}`] : [])];
  const address = `http://127.0.0.1:${port}`;
  const { refused, lost, ...figures } = await runWrk({ script: 'edge.lua', address, connections: CONNECTIONS, seconds, args, core });
  if (refused > 0 || lost > 0) throw new Error(`${refused} refused, ${lost} lost of ${figures.answered}`);
  return figures;
}

function pin(pid, cores) {
  execFileSync('taskset', ['-acp', String(cores), String(pid)]);
}
