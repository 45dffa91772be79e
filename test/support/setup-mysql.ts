import { buildServer } from './build';
import { useMemory } from './memory-folder';
import { startMysqlServer } from './mysql-server';

/** The tests make databases on the server that TEST_MYSQL_URL names; without one they get a server of their own. */
export default async function setUpMysql(): Promise<void> {
  useMemory();
  buildServer();
  process.env.TEST_MYSQL_URL ||= await startMysqlServer();
}
