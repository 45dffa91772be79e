import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { hasEnded, run, signalGroup, start, stop } from '../../bench/harness/processes.mjs';
import mysqlBinary from '../support/servers/mysql-binary.cjs';
import { blockOf, withWords } from '../guide.mjs';

const SETTINGS = '`/etc/mysql/mariadb.conf.d/60-galera.cnf`';
const START_SECONDS = 60;
const ANSWER_MILLISECONDS = 1_000;

/** Not root: rsync, which copies the data to a node, would then write as nobody. */
const USER = userInfo().uid === 0 ? 'mysql' : userInfo().username;

/** A Galera node with the guide's settings, on its own ports. */
export class Node {
  #starts = 0;
  #process;
  #log;

  /** `ports`: mysql, group, increments (IST), snapshot (SST). */
  constructor(name, folder, ports, groupAddress) {
    this.name = name;
    this.port = ports.mysql;
    this.folder = join(folder, name);
    this.data = join(this.folder, 'data');
    this.settings = join(this.folder, 'galera.cnf');
    this.arguments = [
      `--defaults-file=${this.settings}`,
      `--user=${USER}`,
      `--datadir=${this.data}`,
      `--tmpdir=${this.folder}`, // when MariaDB starts, it deletes the temporary tables of other servers that share theirs
      `--port=${ports.mysql}`,
      `--socket=${join(this.folder, 'socket')}`,
      `--pid-file=${join(this.folder, 'pid')}`,
      `--wsrep-cluster-address=${groupAddress}`,
      `--wsrep-sst-receive-address=127.0.0.1:${ports.snapshot}`,
    ];
    mkdirSync(this.data, { recursive: true });
    writeFileSync(this.settings, settingsOf(name, ports));
  }

  /** Creates the cluster on this node; the others copy everything from it. */
  async startFirst() {
    await this.#own();
    const options = ['--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve'];
    await run('mariadb-install-db', ['--no-defaults', `--user=${USER}`, `--datadir=${this.data}`, `--tmpdir=${this.folder}`, ...options]);
    await this.start('--wsrep-new-cluster');
  }

  /** Resolves when the node is a synced member of the cluster. */
  async start(...options) {
    await this.#own();
    this.#log = join(this.folder, `${++this.#starts}.log`);
    this.#process = start(mysqlBinary.findMysqlServer(), [...this.arguments, ...options], { log: this.#log });
    await this.waitUntilSynced();
  }

  /** Like Debian's unit: recovers the position from the files first, to avoid a full copy. */
  async startAgain() {
    const log = join(this.folder, 'recovery.log');
    const recovery = start(mysqlBinary.findMysqlServer(), [...this.arguments, '--wsrep-recover'], { log });
    await once(recovery, 'exit');
    const position = readFileSync(log, 'utf8').match(/WSREP: Recovered position: (\S+)/)?.[1];
    if (!position) throw new Error(`${this.name} does not know its position:\n${readFileSync(log, 'utf8').slice(-3_000)}`);
    await this.start(`--wsrep-start-position=${position}`);
  }

  signal(name) {
    signalGroup(this.#process, name);
  }

  stop() {
    return stop(this.#process);
  }

  async waitUntilSynced() {
    for (const end = Date.now() + START_SECONDS * 1_000; Date.now() < end; await sleep(100)) {
      if (hasEnded(this.#process)) break;
      if (await this.isSynced()) return;
    }
    throw new Error(`${this.name} is no member of the cluster:\n${readFileSync(this.#log, 'utf8').slice(-5_000)}`);
  }

  async isSynced() {
    const rows = await this.query(`SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_local_state', 'wsrep_ready')`).catch(() => []);
    const status = Object.fromEntries(rows.map(({ Variable_name, Value }) => [Variable_name, Value]));
    return status.wsrep_local_state === '4' && status.wsrep_ready === 'ON';
  }

  async query(sql, database) {
    const options = { host: '127.0.0.1', port: this.port, user: 'root', database, charset: 'utf8mb4_bin' };
    const connection = await createConnection({ ...options, connectTimeout: ANSWER_MILLISECONDS });
    try {
      return (await connection.query(sql))[0];
    } finally {
      connection.destroy();
    }
  }

  /** Its user runs the server. */
  #own() {
    return run('chown', ['-R', USER, this.folder]);
  }
}

function settingsOf(name, { group, increments }) {
  const ports = `base_host=127.0.0.1;base_port=${group};gmcast.listen_addr=tcp://127.0.0.1:${group};ist.recv_addr=127.0.0.1:${increments}`;
  return withWords(blockOf('docs/operate/galera.md', SETTINGS), {
    'wsrep_node_name = node-1': `wsrep_node_name = ${name}`,
    'wsrep_sst_donor = node-3,': `wsrep_sst_donor = ${name === 'node-3' ? 'node-2' : 'node-3'},`,
    '10.0.0.11': '127.0.0.1',
    '"evs.': `"${ports};evs.`,
  });
}
