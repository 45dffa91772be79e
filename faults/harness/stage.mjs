import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { built } from '../../bench/harness/paths.mjs';
import { run } from '../../bench/harness/processes.mjs';
import { freePort } from '../../test/support/free-port.cjs';
import { Service } from './service.mjs';

/** A database with its accounts and the services on it. */
export class Stage {
  #accounts = new Map();
  #services = [];
  #started = 0;

  /**
   * `folder` gets the logs, and on SQLite the data; the caller's environment is not passed on. `query` runs a statement
   * directly on the database, for faults and for data that no route writes.
   */
  constructor(name, folder, url, query) {
    this.name = name;
    this.folder = folder;
    this.query = query;
    this.env = { PATH: process.env.PATH, HOME: folder, DATABASE_URL: url, SECRETS_KEY: randomBytes(32).toString('base64') };
    mkdirSync(folder, { recursive: true });
  }

  /** The account of this name with a key, created on first use by the service's command line. */
  account(name) {
    if (!this.#accounts.has(name)) {
      const account = this.#makeAccount(name);
      account.catch(() => this.#accounts.delete(name));
      this.#accounts.set(name, account);
    }
    return this.#accounts.get(name);
  }

  /** A started service. */
  async start(env = {}, begin = (service) => service.start()) {
    const folder = join(this.folder, `service-${this.#started++}`);
    mkdirSync(folder);
    const service = new Service(folder, await freePort(), { ...this.env, ...env });
    this.#services.push(service);
    return begin(service);
  }

  /** Stops services that a scenario left running. */
  async endServices() {
    for (const service of this.#services) await service.end();
  }

  /** Runs the command line. @throws Error with its output if it fails */
  frontdesk(...args) {
    return run(process.execPath, [built('cli.js'), ...args], { env: this.env, cwd: this.folder });
  }

  async #makeAccount(name) {
    const { id } = JSON.parse(await this.frontdesk('accounts', 'create', name, '--json'));
    const { key } = JSON.parse(await this.frontdesk('keys', 'create', '--account', name, '--json'));
    return { id, name, key };
  }
}
