import { limitFiles } from '../harness/limited-disk.mjs';
import { writeThroughOutage } from '../harness/outage.mjs';

export const name = 'read-only';
const USER = 'frontdesk';

/** Makes a database read-only for a while: MariaDB by `read_only`, SQLite by a file size limit. */
export async function run(context) {
  return [...(await runOnMariadb(context)), ...(await runOnSqlite(context))];
}

/** `read_only` does not apply to root, so the service gets its own user. */
async function runOnMariadb(context) {
  const mariadb = await context.mariadb();
  const owner = await context.stage('mariadb');
  const { key } = await owner.account('writers');
  const password = 'faults';
  await mariadb.query(`CREATE USER IF NOT EXISTS ${USER}@'127.0.0.1' IDENTIFIED BY '${password}'`);
  await mariadb.query(`GRANT ALL ON faults.* TO ${USER}@'127.0.0.1'`);
  const service = await owner.start({ DATABASE_URL: mariadb.url({ user: USER, password }) });
  const rows = await writeThroughOutage(context, {
    service,
    key,
    seconds: context.either(6, 3),
    where: 'MariaDB, read_only',
    begin: () => mariadb.query('SET GLOBAL read_only = 1'),
    end: () => mariadb.query('SET GLOBAL read_only = 0'),
    restart: () => service.start(),
  });
  await service.end();
  return rows;
}

/** Permissions are checked only on open, and the files are open already; a file size limit of 0 refuses every write. */
async function runOnSqlite(context) {
  const stage = await context.stage('sqlite');
  const { key } = await stage.account('writers');
  const service = await stage.start({ LOG_LEVEL: 'silent' }, (one) => one.startWithoutFiles());
  return writeThroughOutage(context, {
    service,
    key,
    seconds: context.either(6, 3),
    where: 'SQLite, no write allowed',
    begin: () => limitFiles(service.pid, 0),
    end: () => limitFiles(service.pid, 'unlimited'),
    restart: () => service.startWithoutFiles(),
  });
}
