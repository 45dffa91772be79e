import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { connected, installMariadb } from '../../bench/harness/mariadb.mjs';
import { hasEnded, start } from '../../bench/harness/processes.mjs';
import { freePort } from '../../test/support/servers/free-port.cjs';

/** A throw-away server with default durability that can be killed, frozen and restarted on its data. */
export class Mariadb {
  #child;
  #isKilled = false;

  constructor(folder, port, command) {
    this.folder = folder;
    this.port = port;
    this.command = command;
  }

  static async start(parent) {
    const folder = join(parent, 'mariadb');
    mkdirSync(folder);
    const port = await freePort();
    const mariadb = new Mariadb(folder, port, await installMariadb(folder, port));
    await mariadb.start();
    return mariadb;
  }

  get isRunning() {
    return !hasEnded(this.#child);
  }

  url({ user = 'root', password = '', database = 'faults' } = {}) {
    return `mysql://${user}${password && `:${password}`}@127.0.0.1:${this.port}/${database}`;
  }

  /** Returns when the server accepts connections. */
  async start() {
    const log = join(this.folder, 'mariadb.log');
    this.#isKilled = false;
    this.#child = start(this.command.binary, this.command.args, { log });
    this.#child.once('exit', (code, signal) => this.#tellEnd(signal ?? `code ${code}`, log));
    const connection = await connected(this.#child, this.port, log);
    await connection.end();
  }

  async kill() {
    const exited = once(this.#child, 'exit');
    this.#isKilled = true;
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** Returns when all its threads have stopped. */
  async freeze() {
    this.#child.kill('SIGSTOP');
    const threads = `/proc/${this.#child.pid}/task`;
    const isStopped = (id) => / T /.test(readFileSync(join(threads, id, 'stat'), 'utf8'));
    while (!readdirSync(threads).every(isStopped)) await sleep(1);
  }

  thaw() {
    this.#child.kill('SIGCONT');
  }

  /** On a new connection each time, because the server restarts. */
  async query(sql, values = [], database = 'faults') {
    const connection = await createConnection({ host: '127.0.0.1', port: this.port, user: 'root', database });
    try {
      return (await connection.query(sql, values))[0];
    } finally {
      await connection.end();
    }
  }

  get dataFolder() {
    return join(this.folder, 'data');
  }

  /** The log goes with the run. */
  #tellEnd(cause, log) {
    if (!this.#isKilled) process.stderr.write(`MariaDB has ended (${cause}):\n${readFileSync(log, 'utf8').slice(-3_000)}\n`);
  }
}
