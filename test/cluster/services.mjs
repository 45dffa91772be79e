import { createReadStream, readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { built } from '../../bench/harness/paths.mjs';
import { hasEnded, run, start } from '../../bench/harness/processes.mjs';
import { REACH_LOOPBACK } from '../../faults/harness/receiver.mjs';

const SECRETS_KEY = randomBytes(32).toString('base64');

/** Creates schema, account and key with the service's command line, as docs/operate/galera.md says. */
export async function prepareDatabase(proxy, folder) {
  const options = { env: environment(proxy, folder), cwd: folder };
  const frontdesk = (...args) => run(process.execPath, [built('cli.js'), ...args], options);
  await frontdesk('migrate');
  await frontdesk('accounts', 'create', 'acme');
  const { key } = JSON.parse(await frontdesk('keys', 'create', '--account', 'acme', '--json'));
  return key;
}

/** A service process as in production, connected to the database through its machine's HAProxy. */
export async function startService(proxy, folder, port) {
  const log = join(folder, `frontdesk-${port}.log`);
  const env = { ...environment(proxy, folder), HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL: 'http://cluster.example.com' };
  const child = start(process.execPath, [built('main.js')], { log, cwd: folder, env });
  const address = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 300 && !hasEnded(child); tries++) {
    if (await isReady(address)) return { address, log };
    await sleep(100);
  }
  throw new Error(`The service at ${address} is not ready:\n${readFileSync(log, 'utf8').slice(-3_000)}`);
}

/** What the processes logged besides request lines, with counts. */
export async function countErrors(services) {
  const counts = {};
  for (const { log } of services) {
    for await (const line of createInterface({ input: createReadStream(log) })) {
      const { err } = line.startsWith('{') ? JSON.parse(line) : {};
      if (!err) continue;
      const name = [err.errno, err.code ?? err.name].filter((part) => part !== undefined).join(' ');
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  return counts;
}

function isReady(address) {
  return fetch(`${address}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function environment({ url }, folder) {
  const { PATH } = process.env;
  return {
    PATH,
    HOME: folder,
    NODE_ENV: 'production',
    MIGRATIONS: 'manual',
    DOMAIN_CHECKS: 'off',
    DATABASE_URL: url,
    SECRETS_KEY,
    ...REACH_LOOPBACK,
  };
}
