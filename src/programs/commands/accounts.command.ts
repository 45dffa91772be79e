import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { AccountDeletion } from '../../auth/accounts/account-deletion';
import { AccountsService } from '../../auth/accounts/accounts.service';
import { nameArgument } from './arguments';
import { countOf, JSON_OPTION, type JsonOption, printJson, printList, printNotice, withServices } from './action';

export function accountsCommand(): Command {
  const accounts = new Command('accounts');
  accounts
    .command('create')
    .argument('<name>', 'name for use in commands', nameArgument)
    .description('create an account')
    .addOption(JSON_OPTION)
    .action(withServices(create));
  accounts.command('list').description('list all accounts').addOption(JSON_OPTION).action(withServices(list));
  accounts
    .command('disable')
    .argument('<name>', 'account name')
    .description('suspend all its keys; takes effect within a second')
    .action(withServices((app, name: string) => setEnabled(app, name, false)));
  accounts
    .command('enable')
    .argument('<name>', 'account name')
    .description('restore the keys of a disabled account')
    .action(withServices((app, name: string) => setEnabled(app, name, true)));
  accounts
    .command('delete')
    .argument('<name>', 'account name')
    .description('delete an account without records, and its keys; its audit entries remain')
    .option('--with-records', 'also delete its records')
    .addOption(JSON_OPTION)
    .action(withServices(remove));
  return accounts;
}

async function create(app: INestApplicationContext, name: string, { json }: JsonOption): Promise<void> {
  const { id, datetime } = await app.get(AccountsService).create(name);
  if (json) printJson({ id, name, datetime });
  else process.stdout.write(`Account ${id}, ${name}.\n`);
}

async function list(app: INestApplicationContext, { json }: JsonOption): Promise<void> {
  const accounts = await app.get(AccountsService).findAll();
  const rows = accounts.map(({ id, name, datetime, disabled_datetime }) => ({ id, name, datetime, disabled: disabled_datetime }));
  printList(rows, json);
}

async function setEnabled(app: INestApplicationContext, name: string, isEnabled: boolean): Promise<void> {
  const accounts = app.get(AccountsService);
  const { id } = await accounts.findByName(name);
  await accounts.setEnabled(id, isEnabled);
  printNotice(`Account ${id}, ${name}, is ${isEnabled ? 'enabled' : 'disabled'}.`);
}

async function remove(
  app: INestApplicationContext,
  name: string,
  { withRecords = false, json }: JsonOption & { withRecords?: boolean },
): Promise<void> {
  const account = await app.get(AccountsService).findByName(name);
  const { id } = account;
  const records = await app.get(AccountDeletion).run(account, withRecords);
  const count = Object.values(records).reduce((sum, each) => sum + each, 0);
  printNotice(`Account ${id}, ${name}, was deleted with ${countOf(count, 'record')}. Its audit entries remain: audit --account ${id}`);
  if (json) printJson({ id, name, records });
}
