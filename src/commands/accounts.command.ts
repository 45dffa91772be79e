import { Command } from 'commander';
import { AccountDeletion } from '../auth/accounts/account-deletion';
import type { Account } from '../auth/accounts/account.entity';
import { AccountsService } from '../auth/accounts/accounts.service';
import { nameArgument } from './arguments';
import { JSON_OPTION, type Listed, printCreated, printList, printNotice } from './output';
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
  accounts
    .command('disable')
    .argument('<name>', 'name of the account')
    .description('end all its keys within a second, until it is enabled')
    .action((name: string) => setEnabled(name, false));
  accounts
    .command('enable')
    .argument('<name>', 'name of the account')
    .description('bring back the keys of a disabled account')
    .action((name: string) => setEnabled(name, true));
  accounts
    .command('delete')
    .argument('<name>', 'name of the account')
    .description('delete an account without records, and its keys; the audit stays')
    .option('--with-records', 'delete its records, too')
    .addOption(JSON_OPTION)
    .action(remove);
  return accounts;
}

function create(name: string, { json }: { json?: boolean }): Promise<void> {
  return withServices(async (app) => {
    const { id, datetime } = await app.get(AccountsService).create(name);
    printCreated({ id, name, datetime }, `Account ${id}, ${name}.`, json);
  });
}

function list({ json }: { json?: boolean }): Promise<void> {
  return withServices(async (app) => printList((await app.get(AccountsService).findAll()).map(listed), json));
}

function listed({ id, name, datetime, disabled_datetime }: Account): Listed {
  return { id, name, datetime, disabled: disabled_datetime };
}

function setEnabled(name: string, isEnabled: boolean): Promise<void> {
  return withServices(async (app) => {
    const accounts = app.get(AccountsService);
    const { id } = await accounts.findByName(name);
    await accounts.setEnabled(id, isEnabled);
    printNotice(`Account ${id}, ${name}, is ${isEnabled ? 'enabled' : 'disabled'}.`);
  });
}

function remove(name: string, { withRecords = false, json }: { withRecords?: boolean; json?: boolean }): Promise<void> {
  return withServices(async (app) => {
    const account = await app.get(AccountsService).findByName(name);
    const records = await app.get(AccountDeletion).run(account, withRecords);
    const count = Object.values(records).reduce((sum, each) => sum + each, 0);
    printNotice(
      `Account ${account.id}, ${name}, is deleted with ${count} ${count === 1 ? 'record' : 'records'}. Its audit stays: audit --account ${account.id}`,
    );
    if (json) process.stdout.write(`${JSON.stringify({ id: account.id, name, records })}\n`);
  });
}
