import { Command, InvalidArgumentError, Option } from 'commander';
import { checkSandboxEnvironment } from '../../platform/config/read-config';
import { onInterrupt, printJson } from './actions/output';
import { JSON_OPTION, type JsonOption, portArgument } from './arguments';

/** Does the same as `npm start`, for a service installed as a package. */
export function startCommand(): Command {
  return new Command('start').description('start the service; SIGTERM or SIGINT stops it').action(async () => {
    await (await import('../server/start.js')).start();
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
  checkSandboxEnvironment();
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

function collectVariable(text: string, variables: Record<string, string>): Record<string, string> {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('It must be NAME=value.');
  return { ...variables, [name]: value };
}
