import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { connected, SETTINGS, useDatabase } from './mariadb.mjs';
import { ROOT } from './paths.mjs';
import { atEnd, freePort, run, start } from './processes.mjs';

const SCRIPT = join(ROOT, 'scripts/mysql-server.sh');
/** Overrides the script's options, which are for tests. */
const DURABLE = [...SETTINGS, '--innodb-doublewrite=ON', '--innodb-redo-log-capacity=1G'];
const USER = { user: 'test', password: 'test' };

/** MySQL's own server, from Debian unstable's packages; needs root. */
export async function startMysql(folder) {
  const port = await freePort();
  const env = { ...process.env, MYSQL_ROOT: process.env.MYSQL_ROOT ?? '/tmp/frontdesk-mysql' };
  await run(SCRIPT, ['prepare'], { env });
  atEnd(() => rmSync(`${env.MYSQL_ROOT}/servers/${port}`, { recursive: true, force: true }));
  const log = join(folder, 'mysql.log');
  const server = start(SCRIPT, ['start', String(port), ...DURABLE], { log, env });
  const connection = await connected(server, port, log, USER);
  await connection.query('SET cte_max_recursion_depth = 4294967295'); // for the sequences that fill the tables
  return useDatabase(connection, {
    name: 'mysql',
    title: 'MySQL',
    user: 'test:test',
    port,
    server,
    settings: [...DURABLE, '--skip-log-bin', '--performance-schema=OFF'],
  });
}
