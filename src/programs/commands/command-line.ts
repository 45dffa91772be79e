import { Command } from 'commander';
import { version } from '../../../package.json';
import { readExtensionNames } from '../../platform/config/config';
import { Extensions } from '../../platform/extensions/extensions';
import { accountsCommand } from './accounts.command';
import { auditCommand } from './audit.command';
import { deliveriesCommand, messagesCommand } from './deliveries.command';
import { importableOf } from '../transfer/importable';
import { domainsCommand } from './domains.command';
import { eventsCommand } from './events.command';
import { exportCommand, importCommand } from './transfer.command';
import { healthCommand, sandboxCommand, startCommand } from './service.command';
import { keysCommand } from './keys.command';
import { migrateCommand, restoredCommand, secretsCommand } from './database.command';
import { extensionsCommand } from './extensions.command';
import { receiveCommand } from './receive.command';

/** Runs one operator command. Exits with 0, or with 1 and one line on standard error. */
export async function runCommandLine(argv: string[]): Promise<void> {
  try {
    const names = argv[2] === 'sandbox' ? [] : readExtensionNames(); // a sandbox ignores the variables of the process
    await createProgram(Extensions.load(names)).parseAsync(argv);
  } catch (error) {
    process.stderr.write(`frontdesk: ${reasonOf(error).replaceAll('\n', ' ')}\n`);
    process.exitCode = 1;
  }
}

export function createProgram(extensions: Extensions): Command {
  const importable = importableOf(extensions);
  const program = new Command('frontdesk')
    .enablePositionalOptions() // for audit, which has both options and a subcommand
    .version(version, '--version', 'print the version')
    .description('Operator commands for the database in DATABASE_URL.');
  const own = [
    ...[accountsCommand, keysCommand, domainsCommand, messagesCommand, deliveriesCommand],
    ...[() => importCommand(importable), () => exportCommand(importable), auditCommand, eventsCommand, secretsCommand, migrateCommand],
    ...[extensionsCommand, restoredCommand, receiveCommand, sandboxCommand, healthCommand, startCommand],
  ];
  for (const create of [...own, ...extensions.list.flatMap(({ commands = [] }) => commands)]) program.addCommand(create());
  return program;
}

/** When all addresses of a host fail, Node's error has a code but no message; an extension's command may throw anything. */
function reasonOf(error: unknown): string {
  const { message, code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return message || code || String(error);
}
