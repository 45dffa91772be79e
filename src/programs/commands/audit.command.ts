import { Command } from 'commander';
import { countArgument, JSON_OPTION, lazy, pastArgument, timeArgument } from './arguments';

const run = lazy(() => import('./actions/audit.js'));

export function auditCommand(): Command {
  const audit = new Command('audit')
    .description('list changes and who made them, newest last')
    .enablePositionalOptions() // so that the --json of `audit prune --json` belongs to prune
    .option('--account <name>', 'only entries of this account; for a deleted one, its id')
    .option('--since <time>', 'UTC, such as 2026-11-21 or "2026-11-21 14:30:00"', timeArgument)
    .option('--limit <number>', 'maximum number of entries', countArgument, 100)
    .addOption(JSON_OPTION)
    .action(run('list'));
  audit
    .command('prune')
    .description('delete entries older than a time; the service may be running')
    .requiredOption('--before <time>', 'UTC, such as 2026-01-01', pastArgument)
    .addOption(JSON_OPTION)
    .action(run('prune'));
  return audit;
}
