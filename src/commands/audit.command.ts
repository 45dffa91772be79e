import { Command, Option } from 'commander';
import { AccountsService } from '../auth/accounts.service';
import { AuditLog } from '../database/audit-log';
import { countArgument, timeArgument } from './arguments';
import { JSON_OPTION, printList, remark } from './output';
import { withServices } from './with-services';

interface Options {
  account?: string;
  since?: string;
  limit: number;
  json?: boolean;
}

export function auditCommand(): Command {
  return new Command('audit')
    .description('print who wrote what: the newest last')
    .option('--account <name>', 'of this account alone')
    .addOption(new Option('--since <time>', 'UTC, such as 2026-11-21 or "2026-11-21 14:30:00"').argParser(timeArgument))
    .addOption(new Option('--limit <number>', 'so many of the newest').default(100).argParser(countArgument))
    .addOption(JSON_OPTION)
    .action(run);
}

function run({ account: name, since, limit, json }: Options): Promise<void> {
  return withServices(async (app) => {
    const account = name === undefined ? undefined : await app.get(AccountsService).findByName(name);
    const names = new Map((await app.get(AccountsService).findAll()).map((each) => [each.id, each.name]));
    const entries = await app.get(AuditLog).find({ accountId: account?.id, since, most: limit });
    const rows = entries.map(({ id, datetime, account_id, key_id, action, record, record_id, request_id }) => ({
      ...{ id, name: `${action} ${record}`, datetime, account: names.get(account_id) ?? String(account_id) },
      ...{ key: key_id, action, record, record_id, request_id },
    }));
    printList(rows, json);
    if (entries.length === limit) remark(`The newest ${limit}; for more: --limit`);
  });
}
