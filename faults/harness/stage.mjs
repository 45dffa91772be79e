import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { built } from '../../bench/harness/paths.mjs';
import { run } from '../../bench/harness/processes.mjs';
import { freePort } from '../../test/support/servers/free-port.cjs';
import { createAccount } from './accounts.mjs';
import { Service } from './service.mjs';

/** A database with its accounts and the services on it. */
export class Stage {
  #accounts = new Map();
  #services = [];
  #started = 0;

  /**
   * `folder` is for logs, and on SQLite for the data; the caller's environment is not passed on. `query` runs a statement
   * directly on the database, for faults and for data that no route writes.
   */
  constructor(name, folder, url, query) {
    this.name = name;
    this.folder = folder;
    this.query = query;
    this.env = { PATH: process.env.PATH, HOME: folder, DATABASE_URL: url, SECRETS_KEY: randomBytes(32).toString('base64') };
    mkdirSync(folder, { recursive: true });
  }

  /** The account of this name with a key, created on first use; with SQL, since each command starts a process. */
  account(name) {
    if (!this.#accounts.has(name)) {
      const account = createAccount(this, name);
      account.catch(() => this.#accounts.delete(name));
      this.#accounts.set(name, account);
    }
    return this.#accounts.get(name);
  }

  /** A started service, of another version if `dist` is its build. */
  async start(env = {}, begin = (service) => service.start(), dist) {
    const folder = join(this.folder, `service-${this.#started++}`);
    mkdirSync(folder);
    const service = new Service(folder, await freePort(), { ...this.env, ...env }, dist);
    this.#services.push(service);
    return begin(service);
  }

  /** Stops services that a scenario left running. */
  async endServices() {
    for (const service of this.#services) await service.end();
  }

  /** Runs the command line. @throws Error with its output if it fails */
  frontdesk(...args) {
    return this.#run(built('cli.js'), args);
  }

  /** Like `frontdesk`, with another version's build. */
  frontdeskOf(dist, ...args) {
    return this.#run(join(dist, 'cli.js'), args);
  }

  #run(script, args) {
    return run(process.execPath, [script, ...args], { env: this.env, cwd: this.folder });
  }
}
