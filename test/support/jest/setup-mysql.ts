import { once } from 'node:events';
import { connect } from 'node:net';
import { buildServer } from './build';
import { useMemory } from './memory-folder';
import { findMysqlServer } from '../servers/mysql-binary.cjs';
import { startMysqlServer } from '../servers/mysql-server';

/**
 * The tests make databases on the server that TEST_MYSQL_URL names; without one they get a server of their own. If it names MySQL's own
 * server, they also get a MariaDB, in TEST_OTHER_MYSQL_URL.
 */
export default async function setUpMysql(): Promise<void> {
  useMemory();
  buildServer();
  const { TEST_MYSQL_URL: given } = process.env;
  if (!given) process.env.TEST_MYSQL_URL = await startMysqlServer();
  else if (findMysqlServer()?.endsWith('mariadbd') && !(await isMariadb(given)))
    process.env.TEST_OTHER_MYSQL_URL = await startMysqlServer();
}

/** By the server's greeting, which names its version: packages such as mysql2 can't be loaded here. */
async function isMariadb(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port) || 3306, hostname);
  const [greeting] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return greeting.includes('MariaDB');
}
