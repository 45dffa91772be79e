import { Command } from 'commander';
import { version } from '../../package.json';
import { accountsCommand } from './accounts.command';
import { auditCommand } from './audit.command';
import { deliveriesCommand } from './deliveries.command';
import { domainsCommand } from './domains.command';
import { exportCommand } from './export.command';
import { importCommand } from './import.command';
import { keysCommand } from './keys.command';
import { migrateCommand } from './migrate.command';
import { receiveCommand } from './receive.command';
import { secretsCommand } from './secrets.command';

/** Runs one operator command. Exits with 0, or with 1 and one line on standard error. */
export async function runCommandLine(argv: string[]): Promise<void> {
  const program = new Command('frontdesk')
    .enablePositionalOptions() // for audit, which has both options and a subcommand
    .version(version, '--version', 'print the version')
    .description('Operator commands for the database in DATABASE_URL.')
    .addCommand(accountsCommand())
    .addCommand(keysCommand())
    .addCommand(domainsCommand())
    .addCommand(deliveriesCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand())
    .addCommand(auditCommand())
    .addCommand(secretsCommand())
    .addCommand(migrateCommand())
    .addCommand(receiveCommand());
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.stderr.write(`frontdesk: ${(error as Error).message.replaceAll('\n', ' ')}\n`);
    process.exitCode = 1;
  }
}
