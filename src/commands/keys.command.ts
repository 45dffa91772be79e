import { Command, Option } from 'commander';
import type { Account } from '../auth/accounts/account.entity';
import { AccountsService } from '../auth/accounts/accounts.service';
import type { ApiKey } from '../auth/keys/api-key.entity';
import { ApiKeysService } from '../auth/keys/api-keys.service';
import { SCOPES, type ScopeName } from '../auth/scopes';
import { expiryArgument, idArgument, nameArgument, scopesArgument } from './arguments';
import { JSON_OPTION, type Listed, printCreated, printList, printNotice } from './output';
import { withServices } from './with-services';

interface CreateOptions {
  account: string;
  name: string;
  scopes?: ScopeName[];
  expires?: Date;
  json?: boolean;
}

export function keysCommand(): Command {
  const keys = new Command('keys').description('the API keys of accounts');
  keys
    .command('create')
    .description('make a key; standard output is the key, shown this once, and nothing else')
    .requiredOption('--account <name>', 'account that the key belongs to')
    .addOption(new Option('--name <text>', 'what the key is for').default('default').argParser(nameArgument))
    .addOption(new Option('--scopes <a,b>', `some of ${SCOPES.join(',')} (default: all)`).argParser(scopesArgument))
    .addOption(new Option('--expires <time>', 'such as 90d; s, m, h or d (default: never)').argParser(expiryArgument))
    .addOption(JSON_OPTION)
    .action(create);
  keys.command('list').description('list keys').option('--account <name>', 'of this account alone').addOption(JSON_OPTION).action(list);
  keys.command('revoke').argument('<key id>', 'as keys list shows it', idArgument).description('end a key, within a second').action(revoke);
  return keys;
}

function create({ account: accountName, name, scopes, expires, json }: CreateOptions): Promise<void> {
  return withServices(async (app) => {
    const account = await app.get(AccountsService).findByName(accountName);
    const { id, key } = await app.get(ApiKeysService).create({ accountId: account.id, name, scopes, expires });
    printCreated({ id, name, account: account.name, key }, key, json);
    printNotice(`Key ${id}, ${name}, of the account ${account.name}. It is not shown again; end it with: keys revoke ${id}`);
  });
}

function list({ account, json }: { account?: string; json?: boolean }): Promise<void> {
  return withServices(async (app) => {
    const of: Account | undefined = account === undefined ? undefined : await app.get(AccountsService).findByName(account);
    printList(
      (await app.get(ApiKeysService).findAll(of?.id)).map((key) => listed(key, json)),
      json,
    );
  });
}

function revoke(id: number): Promise<void> {
  return withServices(async (app) => {
    await app.get(ApiKeysService).revoke(id);
    printNotice(`Key ${id} is revoked.`);
  });
}

function listed(key: ApiKey, json?: boolean): Listed {
  const { id, name, account, scopes, has_all_scopes, datetime, expires_datetime, last_used_datetime, revoked_datetime } = key;
  const named = has_all_scopes ? [...SCOPES] : scopes.split(',');
  return {
    id,
    name,
    account: account.name,
    scopes: has_all_scopes && !json ? 'all' : named,
    created: datetime,
    expires: expires_datetime,
    last_used: last_used_datetime,
    revoked: revoked_datetime,
  };
}
