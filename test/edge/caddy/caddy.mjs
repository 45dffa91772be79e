import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasEnded, start } from '../../../bench/harness/processes.mjs';
import { until } from '../../../faults/harness/waiting.mjs';
import { blockOf, withWords } from '../../guide.mjs';
import { isListening } from './visitor.mjs';

const ONE_MACHINE = 'docs/guides/domains-with-caddy.md';
const SEVERAL = 'docs/operate/edge-machines.md';
const ONE_CADDY = 'docs/operate/edge-one-caddy.md';
const PERMITTING = 'the line with `ask` can also be';
const ALONE = '`/etc/caddy/Caddyfile`';
const SHARED_STORAGE = 'one more line among the global options';
const FOR_TWO = 'In `/etc/caddy/Caddyfile`, for two machines';

/** The guide's Caddyfile for Caddy beside the service. */
export const besideService = (edgePort) =>
  withWords(forVersion(blockOf(ONE_MACHINE, ALONE)), { '127.0.0.1:3001': `127.0.0.1:${edgePort}` });

/** Whether this Caddy knows `permission`. */
export function isPermitting() {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(spawnSync('caddy', ['version'], { encoding: 'utf8' }).stdout);
  return Number(major) > 2 || Number(minor) >= 8;
}

/** The guide's line for later Caddys, in place of `ask`. */
function forVersion(caddyfile) {
  if (!isPermitting()) return caddyfile;
  const [ask] = /ask http\S+/.exec(caddyfile);
  return caddyfile.replace(ask, `${blockOf(ONE_MACHINE, PERMITTING).trim().split(' http://')[0]} ${ask.split(' ')[1]}`);
}

/** The guide's Caddyfile for two machines, of which the first is down. */
export function beforeTwo({ edgePort, askPort, deadPort }) {
  const addresses = { '127.0.0.1:3002': `127.0.0.1:${askPort}`, '10.0.0.21:3001': `127.0.0.1:${deadPort}` };
  return withWords(forVersion(blockOf(ONE_CADDY, FOR_TWO)), { ...addresses, '10.0.0.22:3001': `127.0.0.1:${edgePort}` });
}

/** Caddy at an address of its own, with the test's ports and authority among the Caddyfile's global options. */
export async function startCaddy(name, folder, { address, ports, authority, caddyfile }) {
  const home = join(folder, name);
  mkdirSync(home);
  const file = join(home, 'Caddyfile');
  const log = join(folder, `${name}.log`);
  const options = globalOptions(address, ports, authority, join(folder, 'certificates'));
  writeFileSync(file, caddyfile.replace('{\n', `{\n${options.map((option) => `\t${option}\n`).join('')}`));
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  const child = start('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { log, cwd: home, env });
  await until(() => hasEnded(child) || isListening(address, ports.https), `The start of ${name}`);
  if (hasEnded(child)) throw new Error(`${name} does not start:\n${readFileSync(log, 'utf8')}`);
  return { address, port: ports.https, httpPort: ports.http };
}

function globalOptions(address, ports, authority, storage) {
  return [
    'admin off',
    'skip_install_trust',
    `default_bind ${address}`,
    `http_port ${ports.http}`,
    `https_port ${ports.https}`,
    `acme_ca ${authority.url}`,
    `acme_ca_root ${authority.certificate}`,
    withWords(blockOf(SEVERAL, SHARED_STORAGE), { '/mnt/caddy': storage }).trim(),
  ];
}
