import { get } from 'node:http';
import { Command } from 'commander';
import { readConfig } from '../config/config';
import { start } from '../bootstrap/start';

const TIMEOUT_MS = 2_500;

/** For health checks of containers and scripts. Needs no database, so it starts no application. */
export function healthCommand(): Command {
  return new Command('health').description('ask the service on this machine whether it is ready; needs no database').action(checkHealth);
}

/** @throws Error unless it is ready */
async function checkHealth(): Promise<void> {
  const { port, host } = readConfig();
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const name = address.includes(':') ? `[${address}]` : address;
  const url = `http://${name}:${port}/health/ready`;
  const status = await statusOf(url).catch((error: Error) => {
    throw new Error(`No response from ${url}: ${error.message}`);
  });
  if (status !== 200) throw new Error(`Not ready: ${url} returned ${status}.`);
  process.stdout.write('Ready.\n');
}

/** Not by fetch(), which refuses ports such as 6000. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
}

/** Does the same as `npm start`, for a service installed as a package. */
export function startCommand(): Command {
  return new Command('start').description('start the service; SIGTERM or SIGINT stops it').action(async () => {
    await start();
    await new Promise(() => undefined); // the command line exits when a command returns
  });
}
