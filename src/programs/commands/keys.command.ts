import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { AccountsService } from '../../auth/accounts/accounts.service';
import type { ApiKey } from '../../auth/accounts/api-key.entity';
import { ApiKeysService } from '../../auth/accounts/api-keys.service';
import { RoutePolicies, type ScopeName } from '../../auth/route-policies';
import { expiryArgument, idArgument, nameArgument, scopesArgument } from './arguments';
import { JSON_OPTION, type JsonOption, type ListRow, printList, printNotice, printSafely, withServices } from './action';

interface CreateOptions extends JsonOption {
  account: string;
  name: string;
  scopes?: ScopeName[];
  expires?: Date;
}

export function keysCommand(): Command {
  const keys = new Command('keys');
  keys
    .command('create')
    .description('create a key and print only the key to standard output; it is not shown again')
    .requiredOption('--account <name>', 'account of the key')
    .option('--name <text>', 'what the key is for', nameArgument, 'default')
    .option('--scopes <a,b>', 'such as domains:read,domains:write (default: all but keys:write)', scopesArgument)
    .option('--expires <time>', 'such as 90d; s, m, h or d (default: never)', expiryArgument)
    .addOption(JSON_OPTION)
    .action(withServices(create));
  keys
    .command('list')
    .description('list keys')
    .option('--account <name>', 'only keys of this account')
    .addOption(JSON_OPTION)
    .action(withServices(list));
  keys
    .command('revoke')
    .argument('<key id>', 'id from keys list', idArgument)
    .description('revoke a key; takes effect within a second')
    .action(withServices(revoke));
  return keys;
}

async function create(app: INestApplicationContext, { account: accountName, name, scopes, expires, json }: CreateOptions): Promise<void> {
  const account = await app.get(AccountsService).findByName(accountName);
  const keys = app.get(ApiKeysService);
  const { id, key } = await keys.create({ accountId: account.id, name, scopes, expires });
  try {
    await printSafely(`${json ? JSON.stringify({ id, name, account: account.name, key }) : key}\n`);
  } catch (error) {
    const end = await keys.revoke(id).then(
      () => 'so it was revoked',
      () => `and could not be revoked: run keys revoke ${id}`,
    );
    throw new Error(`Key ${id} could not be shown (${(error as Error).message}), ${end}.`, { cause: error });
  }
  printNotice(`Created key ${id}, ${name}, for the account ${account.name}. It is not shown again; to revoke it: keys revoke ${id}`);
}

async function list(app: INestApplicationContext, { account: name, json }: JsonOption & { account?: string }): Promise<void> {
  const keys = await app.get(ApiKeysService).findAll(await app.get(AccountsService).findId(name));
  const { allScopes } = app.get(RoutePolicies);
  printList(
    keys.map((key) => rowOf(key, allScopes, json)),
    json,
  );
}

async function revoke(app: INestApplicationContext, id: number): Promise<void> {
  await app.get(ApiKeysService).revoke(id);
  printNotice(`Revoked key ${id}.`);
}

function rowOf(key: ApiKey, allScopes: readonly ScopeName[], json?: boolean): ListRow {
  const scopes = key.has_all_scopes ? [...allScopes] : key.scopes.split(',');
  return {
    id: key.id,
    name: key.name,
    account: key.account.name,
    scopes: key.has_all_scopes && !json ? 'all' : scopes,
    created: key.datetime,
    expires: key.expires_datetime,
    last_used: key.last_used_datetime,
    revoked: key.revoked_datetime,
  };
}
