import { setTimeout as sleep } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import mysqlBinary from '../../test/support/servers/mysql-binary.cjs';
import { freePort, run, start, stop } from './processes.mjs';

/** Default durability: every commit is flushed to disk. The tables fit in memory, as on a dedicated server. */
export const SETTINGS = ['--innodb-flush-log-at-trx-commit=1', '--innodb-buffer-pool-size=1G'];

/** Creates a server's files in the folder, and returns its start command. */
export async function installMariadb(folder, port) {
  const binary = mysqlBinary.findMysqlServer();
  if (!binary) throw new Error('mariadbd is not installed: apt-get install mariadb-server');
  // Temporary files are in the folder, too: on startup, MariaDB deletes the temporary tables of other servers in the same one.
  const folders = [`--datadir=${join(folder, 'data')}`, `--tmpdir=${folder}`];
  const common = ['--no-defaults', `--user=${userInfo().username}`, ...folders, '--skip-name-resolve'];
  await run('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db']);
  const address = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(folder, 'socket')}`, `--pid-file=${join(folder, 'pid')}`];
  const texts = ['--character-set-server=utf8mb4', '--collation-server=utf8mb4_unicode_520_ci', '--default-time-zone=+00:00'];
  return { binary, args: [...common, ...address, ...texts] };
}

/** A throw-away server with an empty database. */
export async function startMariadb(folder) {
  const port = await freePort();
  const { binary, args } = await installMariadb(folder, port);
  const log = join(folder, 'mariadb.log');
  const server = start(binary, [...args, ...SETTINGS], { log });
  const connection = await connected(server, port, log);
  await connection.query('SET max_recursive_iterations = 4294967295'); // for the sequences that fill the tables
  return useDatabase(connection, { name: 'mariadb', title: 'MariaDB', user: 'root', port, server, settings: SETTINGS });
}

/** Creates an empty database on a server, in the form that `measureOn` uses. */
export async function useDatabase(connection, { name, title, user, port, server, settings }) {
  await connection.query('CREATE DATABASE bench');
  await connection.query('USE bench');
  const [[{ version }]] = await connection.query('SELECT VERSION() AS version');
  return {
    name,
    url: `mysql://${user}@127.0.0.1:${port}/bench`,
    version: `${title} ${version}, ${settings.join(' ')}`,
    query: async (sql, values = []) => (await connection.query(sql, values))[0],
    settle: (tables) => connection.query(`ANALYZE TABLE ${tables.join(', ')}`),
    stop: async () => {
      await connection.end();
      await stop(server);
    },
  };
}

/** Connects as soon as the server accepts connections. @throws Error with the server's output if it exits first */
export async function connected(server, port, log, user = { user: 'root' }) {
  let cause;
  for (let tries = 0; tries < 1_500 && server.exitCode === null; tries++) {
    try {
      return await createConnection({ host: '127.0.0.1', port, ...user, charset: 'utf8mb4_bin' });
    } catch (error) {
      cause = error;
      await sleep(20);
    }
  }
  throw new Error(`No connection to the database server:\n${readFileSync(log, 'utf8')}`, { cause });
}
