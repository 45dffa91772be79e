import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { AccountsService } from '../../auth/accounts/accounts.service';
import { AuditLog } from '../../platform/database/events/audit-log';
import { countArgument, pastArgument, timeArgument } from './arguments';
import { countOf, JSON_OPTION, type JsonOption, printJson, printList, printNotice, withServices } from './action';

interface Options extends JsonOption {
  account?: string;
  since?: string;
  limit: number;
}

export function auditCommand(): Command {
  const audit = new Command('audit')
    .enablePositionalOptions() // so that the --json of `audit prune --json` belongs to prune
    .option('--account <name>', 'only entries of this account; for a deleted one, its id')
    .option('--since <time>', 'UTC, such as 2026-11-21 or "2026-11-21 14:30:00"', timeArgument)
    .option('--limit <number>', 'maximum number of entries', countArgument, 100)
    .addOption(JSON_OPTION)
    .action(withServices(run));
  audit
    .command('prune')
    .description('delete entries older than a time; the service may be running')
    .requiredOption('--before <time>', 'UTC, such as 2026-01-01', pastArgument)
    .addOption(JSON_OPTION)
    .action(withServices(prune));
  return audit;
}

async function run(app: INestApplicationContext, { account, since, limit, json }: Options): Promise<void> {
  const nameOf = await app.get(AccountsService).names();
  const accountId = await findEvenDeleted(app, account);
  const entries = await app.get(AuditLog).find({ accountId, since, max: limit });
  const rows = entries.map(({ id, datetime, account_id, key_id, action, record, record_id, request_id }) => ({
    ...{ id, name: `${action} ${record}`, datetime, account: account_id === 0 ? null : nameOf(account_id) },
    ...{ key: key_id, action, record, record_id, request_id },
  }));
  printList(rows, json);
  if (entries.length === limit) printNotice(`Showing the newest ${limit}; there may be more: raise --limit <number>.`);
}

/** Also accepts an id: a deleted account can no longer be found by its name. */
async function findEvenDeleted(app: INestApplicationContext, name?: string): Promise<number | undefined> {
  try {
    return await app.get(AccountsService).findId(name);
  } catch (error) {
    if (/^[1-9]\d{0,9}$/.test(name!)) return Number(name);
    throw error;
  }
}

async function prune(app: INestApplicationContext, { before, json }: JsonOption & { before: string }): Promise<void> {
  const deleted = await app.get(AuditLog).prune(before);
  printNotice(`Deleted ${countOf(deleted, 'audit entry', 'audit entries')}.`);
  if (json) printJson({ deleted });
}
