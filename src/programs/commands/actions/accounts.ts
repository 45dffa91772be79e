import type { INestApplicationContext } from '@nestjs/common';
import { AccountDeletion } from '../../../auth/accounts/account-deletion';
import { AccountsModule } from '../../../auth/accounts/accounts.module';
import { AccountsService } from '../../../auth/accounts/accounts.service';
import type { JsonOption } from '../arguments';
import { countOf, printJson, printList, printNotice } from './output';
import { withServices } from './with-services';

const ACCOUNTS = { modules: [AccountsModule] };

export const create = withServices(async (app, name: string, { json }: JsonOption) => {
  const { id, datetime } = await app.get(AccountsService).create(name);
  if (json) printJson({ id, name, datetime });
  else process.stdout.write(`Account ${id}, ${name}.\n`);
}, ACCOUNTS);

export const list = withServices(async (app, { json }: JsonOption) => {
  const accounts = await app.get(AccountsService).findAll();
  const rows = accounts.map(({ id, name, datetime, disabled_datetime }) => ({ id, name, datetime, disabled: disabled_datetime }));
  printList(rows, json);
}, ACCOUNTS);

export const disable = withServices((app, name: string) => setEnabled(app, name, false), ACCOUNTS);
export const enable = withServices((app, name: string) => setEnabled(app, name, true), ACCOUNTS);

async function setEnabled(app: INestApplicationContext, name: string, isEnabled: boolean): Promise<void> {
  const accounts = app.get(AccountsService);
  const { id } = await accounts.findByName(name);
  await accounts.setEnabled(id, isEnabled);
  printNotice(`Account ${id}, ${name}, is ${isEnabled ? 'enabled' : 'disabled'}.`);
}

export const remove = withServices(async (app, name: string, { withRecords = false, json }: JsonOption & { withRecords?: boolean }) => {
  const account = await app.get(AccountsService).findByName(name);
  const { id } = account;
  const records = await app.get(AccountDeletion).run(account, withRecords);
  const count = Object.values(records).reduce((sum, each) => sum + each, 0);
  printNotice(`Account ${id}, ${name}, was deleted with ${countOf(count, 'record')}. Its audit entries remain: audit --account ${id}`);
  if (json) printJson({ id, name, records });
});
