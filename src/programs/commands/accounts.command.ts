import { Command } from 'commander';
import { JSON_OPTION, lazy, nameArgument } from './arguments';

const run = lazy(() => import('./actions/accounts.js'));

export function accountsCommand(): Command {
  const accounts = new Command('accounts').description('owners of records and keys');
  accounts
    .command('create')
    .argument('<name>', 'name for use in commands', nameArgument)
    .description('create an account')
    .addOption(JSON_OPTION)
    .action(run('create'));
  accounts.command('list').description('list all accounts').addOption(JSON_OPTION).action(run('list'));
  accounts
    .command('disable')
    .argument('<name>', 'account name')
    .description('suspend all its keys; takes effect within a second')
    .action(run('disable'));
  accounts.command('enable').argument('<name>', 'account name').description('restore the keys of a disabled account').action(run('enable'));
  accounts
    .command('delete')
    .argument('<name>', 'account name')
    .description('delete an account without records, and its keys; its audit entries remain')
    .option('--with-records', 'also delete its records')
    .addOption(JSON_OPTION)
    .action(run('remove'));
  return accounts;
}
