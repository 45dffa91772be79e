import { Command } from 'commander';
import { version } from '../../../package.json';
import { readExtensionNames } from '../../platform/config/read-config';
import type { Extensions } from '../../platform/extensions/extensions';
import { loadExtensions } from '../../platform/extensions/load-extension';
import { accountsCommand } from './accounts.command';
import { auditCommand } from './audit.command';
import { migrateCommand, moveCommand, restoredCommand, secretsCommand } from './database.command';
import { deliveriesCommand, messagesCommand } from './deliveries.command';
import { domainsCommand } from './domains.command';
import { eventsCommand } from './events.command';
import { healthCommand } from './health.command';
import { keysCommand } from './keys.command';
import { receiveCommand } from './receive.command';
import { sandboxCommand, startCommand } from './service.command';
import { exportCommand, importCommand } from './transfer.command';

/** Runs one operator command. Exits with 0, or with 1 and one line on standard error. */
export async function runCommandLine(argv: string[]): Promise<void> {
  try {
    const commandName = argv.slice(2).find((word) => word !== 'help' && !word.startsWith('-'));
    const extensionNames = commandName === 'sandbox' ? [] : readExtensionNames(); // a sandbox ignores the variables of the process
    await createProgram(loadExtensions(extensionNames)).parseAsync(argv);
  } catch (error) {
    process.stderr.write(`frontdesk: ${reasonOf(error).replaceAll('\n', ' ')}\n`);
    process.exitCode = 1;
  }
}

export function createProgram(extensions: Extensions): Command {
  const program = new Command('frontdesk')
    .enablePositionalOptions() // for audit, which has both options and a subcommand
    .version(version, '--version', 'print the version')
    .description('Operator commands for the database in DATABASE_URL.');
  const commands = [
    accountsCommand(),
    keysCommand(),
    domainsCommand(),
    messagesCommand(),
    deliveriesCommand(),
    importCommand(extensions),
    exportCommand(extensions),
    auditCommand(),
    eventsCommand(),
    secretsCommand(),
    migrateCommand(),
    moveCommand(),
    restoredCommand(),
    receiveCommand(),
    sandboxCommand(),
    healthCommand(),
    startCommand(),
  ];
  const help = program.createHelp();
  program.configureHelp({
    subcommandTerm(command) {
      const term = help.subcommandTerm(command);
      return commands.includes(command) ? term.replace(' [options]', '') : term; // nearly all of ours have some
    },
  });
  for (const command of commands) program.addCommand(command);
  for (const create of extensions.list.flatMap(({ commands: factories = [] }) => factories)) program.addCommand(create());
  nameUnknownOptions(program);
  return program;
}

/** Adds the mistyped option to commander's error about a required one, which is missing only because of the typo. */
function nameUnknownOptions(command: Command): void {
  const error = command.error.bind(command);
  command.error = (message, options) => {
    const unknown = options?.code === 'commander.missingMandatoryOptionValue' && command.args.find((word) => /^-./.test(word));
    return error(unknown ? message.replace('error: ', `error: unknown option '${unknown}': `) : message, options);
  };
  command.commands.forEach(nameUnknownOptions);
}

/** When all addresses of a host fail, Node's error has a code but no message; an extension's command may throw anything. */
function reasonOf(error: unknown): string {
  const { message, code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return message || code || String(error);
}
