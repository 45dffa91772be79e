import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.cjs';
import { findMysqlServer } from './mysql-binary.cjs';

/** No data outlives the tests, so nothing waits for a disk: each test file makes and drops all tables. MySQL has no `debug-no-sync`. */
const QUICK = [
  '--innodb-flush-log-at-trx-commit=0',
  '--skip-log-bin',
  '--innodb-doublewrite=0',
  '--innodb-buffer-pool-size=64M',
  '--innodb-flush-method=nosync',
  '--loose-debug-no-sync',
];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Those that this process has started. */
const folders: string[] = [];
const servers: ChildProcess[] = [];

/** Starts a throw-away server, with these options besides, and returns its address; it goes with the process at the latest. */
export async function startMysqlServer(options: readonly string[] = []): Promise<string> {
  const binary = findMysqlServer();
  if (!binary) throw new Error('There is no mariadbd or mysqld on this machine.');
  if (folders.length === 0) {
    process.once('exit', removeAtOnce);
    for (const signal of SIGNALS) process.on(signal, endBySignal);
  }
  try {
    const folder = mkdtempSync(join(tmpdir(), 'frontdesk-mysql-'));
    folders.push(folder);
    initialize(binary, folder);
    const port = await freePort();
    await start(binary, folder, port, options);
    return `mysql://root@127.0.0.1:${port}/`;
  } catch (error) {
    await stopMysqlServer();
    throw error;
  }
}

/** Stops all of them. */
export async function stopMysqlServer(): Promise<void> {
  const exited = servers.filter(({ exitCode }) => exitCode === null).map((server) => once(server, 'exit'));
  for (const server of servers) server.kill('SIGKILL'); // its data goes, too
  await Promise.all(exited);
  removeAtOnce();
  process.off('exit', removeAtOnce);
  for (const signal of SIGNALS) process.off(signal, endBySignal);
}

function removeAtOnce(): void {
  for (const server of servers.splice(0)) server.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

function endBySignal(): void {
  process.exit(1);
}

/** Temporary files stay in the folder: when MariaDB starts, it deletes the temporary tables of other servers that share theirs. */
const foldersIn = (home: string) => [`--user=${userInfo().username}`, `--datadir=${join(home, 'data')}`, `--tmpdir=${home}`];

/** MariaDB has a script that makes the system tables; MySQL's server does it itself. */
function initialize(binary: string, home: string): void {
  const common = ['--no-defaults', ...foldersIn(home)];
  if (isMariadb(binary)) {
    const script = ['--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve'];
    execFileSync('mariadb-install-db', [...common, ...script], { stdio: ['ignore', 'ignore', 'pipe'] });
  } else {
    execFileSync(binary, [...common, '--initialize-insecure'], { stdio: ['ignore', 'ignore', 'pipe'] });
  }
}

async function start(binary: string, home: string, port: number, options: readonly string[]): Promise<void> {
  const address = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(home, 'socket')}`, `--pid-file=${join(home, 'pid')}`];
  const texts = ['--character-set-server=utf8mb4', '--collation-server=utf8mb4_unicode_520_ci', '--default-time-zone=+00:00'];
  const own = isMariadb(binary) ? [] : ['--mysqlx=OFF'];
  const common = ['--no-defaults', ...foldersIn(home), '--skip-name-resolve'];
  const server = spawn(binary, [...common, ...address, ...texts, ...own, ...QUICK, ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
  servers.push(server);
  await ready(server);
}

/** What the server says on standard error is read to its end, so that it never waits for a reader. */
async function ready(process: ChildProcess): Promise<void> {
  const said: string[] = [];
  const lines = createInterface({ input: process.stderr! });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      said.push(line);
      if (line.includes('ready for connections')) resolve();
    });
    process.once('error', reject);
    process.once('exit', () => reject(new Error(`The database server did not start:\n${said.join('\n')}`)));
  });
}

function isMariadb(binary: string): boolean {
  return execFileSync(binary, ['--no-defaults', '--version'], { encoding: 'utf8' }).includes('MariaDB');
}
