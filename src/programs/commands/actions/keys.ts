import { AccountsService } from '../../../auth/accounts/accounts.service';
import type { ApiKey } from '../../../auth/accounts/api-key.entity';
import { ApiKeysService } from '../../../auth/accounts/api-keys.service';
import { RoutePolicies, type ScopeName } from '../../../auth/route-policies';
import type { JsonOption } from '../arguments';
import { type ListRow, printList, printNotice, printSafely } from './output';
import { withServices } from './with-services';

interface CreateOptions extends JsonOption {
  account: string;
  name: string;
  scopes?: ScopeName[];
  expires?: Date;
}

export const create = withServices(async (app, { account: accountName, name, scopes, expires, json }: CreateOptions) => {
  const account = await app.get(AccountsService).findByName(accountName);
  const keys = app.get(ApiKeysService);
  const { id, key } = await keys.create({ accountId: account.id, name, scopes, expires });
  try {
    await printSafely(`${json ? JSON.stringify({ id, name, account: account.name, key }) : key}\n`);
  } catch (error) {
    const outcome = await keys.revoke(id).then(
      () => 'so it was revoked',
      () => `and could not be revoked: run keys revoke ${id}`,
    );
    throw new Error(`Key ${id} could not be shown (${(error as Error).message}), ${outcome}.`, { cause: error });
  }
  printNotice(`Created key ${id}, ${name}, for the account ${account.name}. It is not shown again; to revoke it: keys revoke ${id}`);
});

export const list = withServices(async (app, { account: name, json }: JsonOption & { account?: string }) => {
  const keys = await app.get(ApiKeysService).findAll(await app.get(AccountsService).findId(name));
  const { allScopes } = app.get(RoutePolicies);
  printList(
    keys.map((key) => rowOf(key, allScopes, json)),
    json,
  );
});

export const revoke = withServices(async (app, id: number) => {
  await app.get(ApiKeysService).revoke(id);
  printNotice(`Revoked key ${id}.`);
});

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
