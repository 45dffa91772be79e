import type { INestApplicationContext } from '@nestjs/common';
import { AccountsModule } from '../../../auth/accounts/accounts.module';
import { AccountsService } from '../../../auth/accounts/accounts.service';
import { AuditLog } from '../../../events/audit-log';
import { AuditModule } from '../../../events/audit.module';
import type { JsonOption } from '../arguments';
import { countOf, printJson, printList, printNotice } from './output';
import { withServices } from './with-services';

interface Options extends JsonOption {
  account?: string;
  since?: string;
  limit: number;
}

const AUDIT = { modules: [AccountsModule, AuditModule] };

export const list = withServices(async (app, { account, since, limit, json }: Options) => {
  const nameOf = await app.get(AccountsService).names();
  const accountId = await findIdEvenIfDeleted(app, account);
  const entries = await app.get(AuditLog).find({ accountId, since, max: limit });
  const rows = entries.map(({ id, datetime, account_id, key_id, action, record, record_id, request_id }) => ({
    id,
    name: `${action} ${record}`,
    datetime,
    account: account_id === 0 ? null : nameOf(account_id),
    key: key_id,
    action,
    record,
    record_id,
    request_id,
  }));
  printList(rows, json);
  if (entries.length === limit) printNotice(`Showing the newest ${limit}; there may be more: raise --limit <number>.`);
}, AUDIT);

/** Also accepts an id: a deleted account can no longer be found by its name. */
async function findIdEvenIfDeleted(app: INestApplicationContext, name?: string): Promise<number | undefined> {
  try {
    return await app.get(AccountsService).findId(name);
  } catch (error) {
    if (/^[1-9]\d{0,9}$/.test(name!)) return Number(name);
    throw error;
  }
}

export const prune = withServices(async (app, { before, json }: JsonOption & { before: string }) => {
  const deleted = await app.get(AuditLog).prune(before);
  printNotice(`Deleted ${countOf(deleted, 'audit entry', 'audit entries')}.`);
  if (json) printJson({ deleted });
}, AUDIT);
