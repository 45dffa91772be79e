import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BENCH, built } from './paths.mjs';
import { freePort, start, stop } from './processes.mjs';
import { profiled } from './profile.mjs';

const peer = (name, script) => join(BENCH, 'peers', name, script);
const EVERY_DATABASE = ['mariadb', 'mysql', 'sqlite'];
const NEST_WORK = ['list', 'read', 'create', 'update', 'mixed'];
const EVERY_WORK = [...NEST_WORK, 'scheduling'];

/** The servers measured. List libraries are measured on lists; their writes would be the textbook's. */
export const SERVERS = [
  {
    name: 'frontdesk',
    script: built('main.js'),
    databases: EVERY_DATABASE,
    does: [...EVERY_WORK, 'notifications', 'order', 'filter', 'workers', 'walk'],
  },
  { name: 'two-workers', script: built('main.js'), env: { WORKERS: '2' }, databases: ['mariadb'], does: ['workers'] },
  { name: 'by-hand', script: peer('by-hand', 'server.mjs'), databases: EVERY_DATABASE, does: [...EVERY_WORK, 'notifications'] },
  {
    name: 'by-hand-audited',
    folder: 'by-hand',
    script: peer('by-hand', 'server.mjs'),
    env: { BENCH_AUDIT: '1' },
    databases: EVERY_DATABASE,
    does: ['create', 'update'],
  },
  { name: 'nest', script: peer('nest', 'dist/main.mjs'), databases: EVERY_DATABASE, does: NEST_WORK },
  {
    name: 'nest-with-the-same',
    folder: 'nest',
    script: peer('nest', 'dist/main.mjs'),
    env: { BENCH_SAME: '1' },
    databases: EVERY_DATABASE,
    does: NEST_WORK,
  },
  { name: 'textbook', script: peer('textbook', 'dist/main.js'), databases: ['mariadb'], does: EVERY_WORK },
  { name: 'nestjs-paginate', script: peer('nestjs-paginate', 'dist/main.js'), databases: ['mariadb'], does: ['list', 'read'] },
  { name: 'dataui-crud', script: peer('dataui-crud', 'dist/main.js'), databases: ['mariadb'], does: ['list', 'read'] },
];

/** Another commit of the service, built in a folder. Has its own file on SQLite, where a write of one build would make the other reread large lists. */
export function baseline(folder) {
  return {
    name: 'baseline',
    script: resolve(folder, 'dist', 'src', 'main.js'),
    databases: EVERY_DATABASE,
    does: [...EVERY_WORK, 'notifications', 'order', 'filter'],
    hasOwnFile: true,
  };
}

/** Base of every server's links, so that whole responses can be compared. */
const PUBLIC_URL = 'http://bench.example.com';

/** Starts a server as in production, one process logging to a file, and waits until it answers. */
export async function startServer({ name, script, env: own, does, hasOwnFile }, folder, env, accounts, isProfiled = false) {
  const port = await freePort();
  const log = join(folder, `${name}.log`);
  const database = hasOwnFile && env.DATABASE_URL.startsWith('sqlite:') ? await copyOf(env.DATABASE_URL) : {};
  const profiling = isProfiled ? profiled(folder, name) : {};
  const metrics = script.endsWith('src/main.js') ? { METRICS_PORT: String(await freePort()) } : {};
  const keys = JSON.stringify(Object.fromEntries(Object.values(accounts).map(({ key, id }) => [key, id])));
  const child = start(process.execPath, [script], {
    log,
    cwd: folder,
    env: {
      ...{ ...env, ...database, ...profiling, ...metrics, ...own, NODE_ENV: 'production' },
      ...{ HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL, BENCH_KEYS: keys },
    },
  });
  const address = `http://127.0.0.1:${port}`;
  const headers = { Authorization: `Bearer ${accounts.small.key}` };
  for (let tries = 0; tries < 300 && child.exitCode === null; tries++) {
    const response = await fetch(`${address}/api/domains/`, { headers }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok)
      return { name, does, address, publicUrl: PUBLIC_URL, pid: child.pid, profile: profiling.BENCH_PROFILE, stop: () => stop(child) };
    await sleep(100);
  }
  throw new Error(`${name} does not answer:\n${readFileSync(log, 'utf8').slice(-2_000)}`);
}

async function copyOf(url) {
  const DATABASE_URL = `${url}.copy`;
  await copyFile(url.slice('sqlite:'.length), DATABASE_URL.slice('sqlite:'.length));
  return { DATABASE_URL };
}
