// A customer's domain from its creation to its first page over TLS: the built service, Caddy as docs/guides/domains-with-caddy.md sets it up, a certificate
// authority (pebble) and a name server, all on loopback, without privileges.
import { spawnSync } from 'node:child_process';
import { temporaryFolder } from '../../../bench/harness/processes.mjs';
import { freePorts } from '../../cluster/ports.mjs';
import { Authority } from './authority.mjs';
import { beforeTwo, besideService, startCaddy } from './caddy.mjs';
import { CHECKS } from './checks.mjs';
import { NameServer } from './name-server.mjs';
import { FrontDesk } from './service.mjs';

const NEEDED = ['caddy', 'pebble', 'openssl'];
/** Skips, except where .ci/run has installed what is needed. */
const LACKING = process.env.CI ? 1 : 77;
const TARGET = 'edge.example.net';

const tell = (line) => process.stdout.write(`${line}\n`);

const lacking = NEEDED.filter((program) => spawnSync(program, ['-h']).error);
if (lacking.length > 0) {
  tell(`Not run, because there is no ${lacking.join(' and no ')}: apt-get install ${lacking.join(' ')}`);
  process.exit(LACKING);
}
try {
  const stage = await setUp(temporaryFolder('edge'));
  for (const [name, check] of Object.entries(CHECKS)) {
    await check(stage);
    tell(`ok  ${name}`);
  }
  process.exit(0);
} catch (error) {
  tell(`The test has failed. ${error.stack}`);
  process.exit(1);
}

async function setUp(folder) {
  const [api, edge, acme, management, http, https, askPort, deadPort] = await freePorts(8);
  const names = await new NameServer().start();
  names.set({ type: 'A', name: TARGET, value: '127.0.0.1' });
  const authority = await Authority.start(folder, { acme, management, http, https }, names.address);
  const desk = await FrontDesk.start(folder, { api, edge, https }, TARGET, names.address, authority.root);
  const caddyAt = (address, name, caddyfile) => startCaddy(name, folder, { address, ports: { http, https }, authority, caddyfile });
  const beside = besideService(edge);
  return {
    names,
    authority,
    desk,
    target: TARGET,
    caddy: await caddyAt('127.0.0.1', 'caddy', beside),
    startAnother: (number) => caddyAt(`127.0.0.${number}`, `caddy-${number}`, beside),
    startBeforeTwo: () => caddyAt('127.0.0.5', 'caddy-5', beforeTwo({ edgePort: edge, askPort, deadPort })),
  };
}
