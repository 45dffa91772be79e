import { get } from 'node:http';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readConfig, refuseSandbox } from '../../platform/config/config';
import { start } from '../service/start';
import { JSON_OPTION, type JsonOption, onInterrupt, printJson } from './action';
import { portArgument } from './arguments';

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

/** Does the same as `npm start`, for a service installed as a package. */
export function startCommand(): Command {
  return new Command('start').description('start the service; SIGTERM or SIGINT stops it').action(async () => {
    await start();
    await new Promise(() => undefined); // never returns: the command line exits when a command returns
  });
}

interface SandboxOptions extends JsonOption {
  port?: number;
  env: Record<string, string>;
}

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('run the service for tests: nothing it sends leaves the process, and you set its clock and DNS answers')
    .option('--port <number>', 'port on 127.0.0.1 (default: any free one)', portArgument)
    .addOption(
      new Option('--env <NAME=value>', 'a variable of the service; repeat for more').default({}, 'none').argParser(collectVariable),
    )
    .addOption(JSON_OPTION)
    .action(runSandbox);
}

async function runSandbox({ port, env, json }: SandboxOptions): Promise<void> {
  refuseSandbox();
  const { startSandbox } = await import('../sandbox/start-sandbox.js');
  const interrupted = new Promise<void>((resolve) => onInterrupt(resolve));
  const sandbox = await startSandbox({ port, env });
  if (json) printJson({ url: sandbox.url, key: sandbox.key });
  else {
    const steering = `${sandbox.url}/sandbox/openapi.json`;
    const pages = env.CONSOLE === 'off' ? steering : `console: ${sandbox.url}/console/, ${steering}`;
    process.stdout.write(`The sandbox answers at ${sandbox.url} (${pages}); key: ${sandbox.key}\n`);
  }
  await interrupted;
  await sandbox.stop();
}

function collectVariable(text: string, known: Record<string, string>): Record<string, string> {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('It must be NAME=value.');
  return { ...known, [name]: value };
}
