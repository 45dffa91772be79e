import { get } from 'node:http';
import { Command } from 'commander';
import { readConfig } from '../../platform/config/read-config';

const TIMEOUT_MS = 2_500;

/** For health checks of containers and scripts. Starts no application, because it needs no database. */
export function healthCommand(): Command {
  return new Command('health').description('ask the service on this machine whether it is ready; needs no database').action(checkHealth);
}

/** @throws Error unless the service is ready */
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

/** Uses get(), since fetch() refuses ports such as 6000. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
}
