import { Command, InvalidArgumentError, Option } from 'commander';
import { refuseSandbox } from '../config/config';
import { JSON_OPTION, type JsonOption, onInterrupt, printJson } from './action';
import { portArgument } from './arguments';

interface Options extends JsonOption {
  port?: number;
  env: Record<string, string>;
}

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('run the service for tests: nothing it sends leaves the process, and its clock and name servers are yours to set')
    .addOption(new Option('--port <number>', 'port on 127.0.0.1 (default: any free one)').argParser(portArgument))
    .addOption(
      new Option('--env <NAME=value>', 'a variable of the service; repeat for more').default({}, 'none').argParser(collectVariable),
    )
    .addOption(JSON_OPTION)
    .action(run);
}

async function run({ port, env, json }: Options): Promise<void> {
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
