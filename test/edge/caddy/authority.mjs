import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { run, start } from '../../../bench/harness/processes.mjs';
import { until } from '../../../faults/harness/waiting.mjs';

/** Pebble, Let's Encrypt's ACME server for tests. It validates hosts on the given ports, at the addresses that the name server tells. */
export class Authority {
  /** @param ports `{ acme, management, http, https }`: its own two, and those where it expects the proxy */
  static async start(folder, ports, nameServer) {
    const authority = new Authority(folder, ports);
    await run('openssl', authority.#certificateArguments());
    const settings = join(folder, 'pebble.json');
    writeFileSync(settings, JSON.stringify({ pebble: authority.#settings() }));
    const env = { PATH: process.env.PATH, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' };
    start('pebble', ['-config', settings, '-dnsserver', nameServer], { log: authority.log, cwd: folder, env });
    await until(() => authority.#readRoot(), 'The start of pebble');
    return authority;
  }

  constructor(folder, ports) {
    this.ports = ports;
    this.url = `https://127.0.0.1:${ports.acme}/dir`;
    this.certificate = join(folder, 'pebble.pem');
    this.key = join(folder, 'pebble.key');
    this.log = join(folder, 'pebble.log');
  }

  /** Orders that any account has placed since the start. */
  get orders() {
    return this.#read().match(/POST \/order-plz/g)?.length ?? 0;
  }

  /** Whether the host appears in anything that was asked of the authority. */
  hasHeardOf(host) {
    return this.#read().includes(host);
  }

  #read() {
    return readFileSync(this.log, 'utf8');
  }

  /** Keeps the root of the issued certificates, which pebble makes at its start. */
  #readRoot() {
    const options = { host: '127.0.0.1', port: this.ports.management, path: '/roots/0', ca: readFileSync(this.certificate), agent: false };
    return new Promise((resolve) => {
      const outgoing = request(options, async (response) => {
        this.root = (await response.toArray()).join('');
        resolve(response.statusCode === 200);
      });
      outgoing.on('error', () => resolve(false)).end();
    });
  }

  #settings() {
    const { acme, management, http, https } = this.ports;
    const listening = { listenAddress: `127.0.0.1:${acme}`, managementListenAddress: `127.0.0.1:${management}` };
    return { ...listening, certificate: this.certificate, privateKey: this.key, httpPort: http, tlsPort: https, ocspResponderURL: '' };
  }

  #certificateArguments() {
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const names = ['-subj', '/CN=pebble', '-addext', 'subjectAltName=IP:127.0.0.1'];
    return ['req', ...kind, ...names, '-keyout', this.key, '-out', this.certificate];
  }
}
