import { Command } from 'commander';
import { expiryArgument, idArgument, JSON_OPTION, lazy, nameArgument, scopesArgument } from './arguments';

const run = lazy(() => import('./actions/keys.js'));

export function keysCommand(): Command {
  const keys = new Command('keys').description('API keys of accounts');
  keys
    .command('create')
    .description('create a key and print only the key to standard output; it is not shown again')
    .requiredOption('--account <name>', 'account of the key')
    .option('--name <text>', 'what the key is for', nameArgument, 'default')
    .option('--scopes <a,b>', 'such as domains:read,domains:write (default: all but keys:write)', scopesArgument)
    .option('--expires <time>', 'such as 90d; s, m, h or d (default: never)', expiryArgument)
    .addOption(JSON_OPTION)
    .action(run('create'));
  keys
    .command('list')
    .description('list keys')
    .option('--account <name>', 'only keys of this account')
    .addOption(JSON_OPTION)
    .action(run('list'));
  keys
    .command('revoke')
    .argument('<key id>', 'id from keys list', idArgument)
    .description('revoke a key; takes effect within a second')
    .action(run('revoke'));
  return keys;
}
