import { Command } from 'commander';
import { AccountsService } from '../auth/accounts.service';
import { nameArgument } from './arguments';
import { JSON_OPTION, printCreated, printList } from './output';
import { withServices } from './with-services';

export function accountsCommand(): Command {
  const accounts = new Command('accounts').description('what records and keys belong to');
  accounts
    .command('create')
    .argument('<name>', 'how commands call it', nameArgument)
    .description('make an account')
    .addOption(JSON_OPTION)
    .action(create);
  accounts.command('list').description('list all accounts').addOption(JSON_OPTION).action(list);
  return accounts;
}

function create(name: string, { json }: { json?: boolean }): Promise<void> {
  return withServices(async (app) => {
    const { id, datetime } = await app.get(AccountsService).create(name);
    printCreated({ id, name, datetime }, `Account ${id}, ${name}.`, json);
  });
}

function list({ json }: { json?: boolean }): Promise<void> {
  return withServices(async (app) => {
    const accounts = await app.get(AccountsService).findAll();
    printList(
      accounts.map(({ id, name, datetime }) => ({ id, name, datetime })),
      json,
    );
  });
}
