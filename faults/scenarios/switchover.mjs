import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run as runCommand } from '../../bench/harness/processes.mjs';
import { Client } from '../harness/client.mjs';
import { Mariadb } from '../harness/mariadb.mjs';
import { writeThroughOutage } from '../harness/outage.mjs';
import { startRelay } from '../harness/relay.mjs';
import { must, timed } from '../harness/table.mjs';
import { until } from '../harness/waiting.mjs';

export const name = 'switchover';
const USER = 'frontdesk';
const PASSWORD = 'faults';
const MOVED_SECONDS = 2;

/** A planned switchover: the server becomes read-only, and some seconds later its address is moved to another server with the same data. */
export async function run(context) {
  const folder = join(context.folder, 'switchover');
  mkdirSync(folder);
  const [old, next] = [await context.mariadb(), await Mariadb.start(folder)];
  const stage = await context.freshStage('mariadb');
  const database = new URL(stage.env.DATABASE_URL).pathname.slice(1);
  const { key } = await stage.account('writers');
  await next.query(`CREATE DATABASE ${database}`, [], 'mysql');
  for (const server of [old, next]) await admit(server, database);
  const relay = await startRelay(old.port);
  const url = new URL(old.url({ user: USER, password: PASSWORD, database }));
  url.port = String(relay.port);
  const service = await stage.start({ DATABASE_URL: url.href });
  const ready = new Client(service.port);
  const readiness = async () => (await ready.send('GET', '/health/ready')).status;
  let during;
  let moved;
  const rows = await writeThroughOutage(context, {
    service,
    key,
    seconds: context.either(6, 3),
    where: 'switchover',
    begin: () => old.query('SET GLOBAL read_only = 1', [], 'mysql'),
    end: async () => {
      during = await readiness();
      await copy(database, old, next);
      relay.switchTo(next.port);
      const switched = performance.now();
      await until(async () => (await connections(old)) === 0 && (await readiness()) === 200, 'The move to the other server');
      moved = (performance.now() - switched) / 1_000;
    },
    restart: () => service.start(),
  });
  ready.close();
  await service.end();
  relay.close();
  await old.query('SET GLOBAL read_only = 0', [], 'mysql');
  await next.kill();
  return [
    ...rows,
    must('/health/ready while it is read-only', String(during), '503', during === 503),
    timed(context, 'ready on the other server, without a connection to the old one', moved, MOVED_SECONDS, 's'),
  ];
}

/** `read_only` does not apply to root, so the service gets its own user. */
async function admit(server, database) {
  await server.query(`CREATE USER IF NOT EXISTS ${USER}@'127.0.0.1' IDENTIFIED BY '${PASSWORD}'`, [], 'mysql');
  await server.query(`GRANT ALL ON ${database}.* TO ${USER}@'127.0.0.1'`, [], 'mysql');
}

async function connections(server) {
  const [{ count }] = await server.query('SELECT COUNT(*) AS count FROM information_schema.processlist WHERE user = ?', [USER], 'mysql');
  return Number(count);
}

/** Copies the data, in place of replication. */
function copy(database, from, to) {
  const at = ({ port }) => `--no-defaults --host=127.0.0.1 --port=${port} --user=root`;
  return runCommand('bash', ['-o', 'pipefail', '-c', `mariadb-dump ${at(from)} ${database} | mariadb ${at(to)} ${database}`]);
}
