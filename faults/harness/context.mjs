import { join } from 'node:path';
import { temporaryFolder } from '../../bench/harness/processes.mjs';
import { Mariadb } from './mariadb.mjs';
import { queryFile } from './sqlite-file.mjs';
import { Stage } from './stage.mjs';

/** Shared by the scenarios: a MariaDB server, one database of each kind, and the size of the run. */
export class Context {
  #mariadb;
  #stages = new Map();

  constructor(isShort, logProgress) {
    this.isShort = isShort;
    this.logProgress = logProgress;
    this.folder = temporaryFolder('faults');
  }

  /** The first value in the full run, the second in the short one. */
  either(whole, short) {
    return this.isShort ? short : whole;
  }

  mariadb() {
    return (this.#mariadb ??= Mariadb.start(this.folder));
  }

  /** Restarts MariaDB if it exited although no scenario killed it; returns whether it did. */
  async reviveMariadb() {
    const mariadb = await this.#mariadb;
    if (!mariadb || mariadb.isRunning) return false;
    await mariadb.start();
    return true;
  }

  async stage(name) {
    if (!this.#stages.has(name)) this.#stages.set(name, await this.#makeStage(name));
    return this.#stages.get(name);
  }

  /** An unshared SQLite database in this folder. */
  sqliteIn(folder) {
    const file = join(folder, 'faults.sqlite');
    const stage = new Stage('sqlite', folder, `sqlite:${file}`, async (...statement) => queryFile(file, ...statement));
    this.#stages.set(folder, stage);
    return stage;
  }

  /** A new database of this kind, migrated by another version if `dist` is its build. */
  async freshStage(name, dist) {
    const number = this.#stages.size;
    const folder = join(this.folder, `fresh-${number}`);
    const stage = name === 'mariadb' ? await this.#onMariadb(folder, `fresh_${number}`) : this.sqliteIn(folder);
    this.#stages.set(folder, stage);
    await (dist ? stage.frontdeskOf(dist, 'migrate') : stage.frontdesk('migrate'));
    return stage;
  }

  async endServices() {
    for (const stage of this.#stages.values()) await stage.endServices();
  }

  async #makeStage(name) {
    const folder = join(this.folder, `on-${name}`);
    const stage = name === 'mariadb' ? await this.#onMariadb(folder) : this.sqliteIn(folder);
    await stage.frontdesk('migrate');
    return stage;
  }

  async #onMariadb(folder, database = 'faults') {
    const mariadb = await this.mariadb();
    await mariadb.query(`CREATE DATABASE IF NOT EXISTS ${database}`, [], 'mysql');
    return new Stage('mariadb', folder, mariadb.url({ database }), (sql, values) => mariadb.query(sql, values, database));
  }
}
