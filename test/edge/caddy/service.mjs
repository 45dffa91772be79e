import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { built } from '../../../bench/harness/paths.mjs';
import { run } from '../../../bench/harness/processes.mjs';
import { Service } from '../../../faults/harness/service.mjs';

/** The built service on SQLite, with an edge, and the API as its customer uses it. */
export class FrontDesk {
  /** @param ports `{ api, edge, https }` @param target EDGE_TARGET @param root of the certificates that it trusts */
  static async start(folder, ports, target, nameServer, root) {
    const home = join(folder, 'frontdesk');
    mkdirSync(home);
    const edge = { EDGE_PORT: String(ports.edge), EDGE_TARGET: target, DNS_SERVERS: nameServer };
    const trusted = join(folder, 'root.pem');
    writeFileSync(trusted, root);
    const preload = fileURLToPath(new URL('tls-port.cjs', import.meta.url));
    const tls = {
      NODE_EXTRA_CA_CERTS: trusted,
      OUTBOUND_ALLOW: '127.0.0.0/8',
      NODE_OPTIONS: `--require ${preload}`,
      TLS_PORT: String(ports.https),
    };
    const service = new Service(home, ports.api, { PATH: process.env.PATH, DEMO: 'off', DOMAIN_CHECKS: 'off', ...edge, ...tls });
    const desk = new FrontDesk(service, ports);
    await desk.command('accounts', 'create', 'acme');
    desk.key = JSON.parse(await desk.command('keys', 'create', '--account', 'acme', '--json')).key;
    await service.start();
    return desk;
  }

  constructor(service, ports) {
    this.service = service;
    this.edgePort = ports.edge;
    this.api = `http://127.0.0.1:${ports.api}/api/domains`;
  }

  /** Runs `frontdesk …` beside the service. */
  command(...args) {
    return run(process.execPath, [built('cli.js'), ...args], { cwd: this.service.folder, env: this.service.env });
  }

  async create(fields) {
    return (await this.#send('POST', '', fields)).id;
  }

  delete(id) {
    return this.#send('DELETE', `/${id}`);
  }

  verification(id) {
    return this.#send('GET', `/${id}/verification`);
  }

  /** Looks the records up now. */
  verify(id) {
    return this.#send('POST', `/${id}/verification`);
  }

  async #send(method, path, fields) {
    const body = fields && new URLSearchParams(fields);
    const response = await fetch(this.api + path, { method, body, headers: { Authorization: `Bearer ${this.key}` } });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path || '/'} got ${response.status}: ${text}`);
    return JSON.parse(text).data;
  }
}
