import type { INestApplicationContext } from '@nestjs/common';
import { Command, Option } from 'commander';
import { AccountsService } from '../auth/accounts/accounts.service';
import { AuditLog } from '../database/audit/audit-log';
import { AuditPruning } from '../database/audit/audit-pruning';
import { countArgument, pastArgument, timeArgument } from './arguments';
import { JSON_OPTION, printList, printNotice } from './output';
import { withServices } from './with-services';

interface Options {
  account?: string;
  since?: string;
  limit: number;
  json?: boolean;
}

export function auditCommand(): Command {
  const audit = new Command('audit')
    .description('print who wrote what: the newest last')
    .enablePositionalOptions() // the --json of `audit prune --json` is prune's
    .option('--account <name>', 'of this account alone; of a deleted one, by its id')
    .addOption(new Option('--since <time>', 'UTC, such as 2026-11-21 or "2026-11-21 14:30:00"').argParser(timeArgument))
    .addOption(new Option('--limit <number>', 'so many of the newest').default(100).argParser(countArgument))
    .addOption(JSON_OPTION)
    .action(run);
  audit
    .command('prune')
    .description('delete what is older than a time, while the service runs; works on the schema of the version before, too')
    .addOption(new Option('--before <time>', 'UTC, such as 2026-01-01').argParser(pastArgument).makeOptionMandatory())
    .addOption(JSON_OPTION)
    .action(prune);
  return audit;
}

function run({ account: name, since, limit, json }: Options): Promise<void> {
  return withServices(async (app) => {
    const accountId = name === undefined ? undefined : await findAccountId(app, name);
    const names = new Map((await app.get(AccountsService).findAll()).map((each) => [each.id, each.name]));
    const entries = await app.get(AuditLog).find({ accountId, since, max: limit });
    const rows = entries.map(({ id, datetime, account_id, key_id, action, record, record_id, request_id }) => ({
      ...{ id, name: `${action} ${record}`, datetime, account: account_id === 0 ? null : (names.get(account_id) ?? String(account_id)) },
      ...{ key: key_id, action, record, record_id, request_id },
    }));
    printList(rows, json);
    if (entries.length === limit) printNotice(`The newest ${limit}; for more: --limit`);
  });
}

/** A deleted account has no name any more; its audit has its id. */
async function findAccountId(app: INestApplicationContext, name: string): Promise<number> {
  const account = app.get(AccountsService).findByName(name);
  return account.then(
    ({ id }) => id,
    (error: unknown) => {
      if (/^[1-9]\d{0,9}$/.test(name)) return Number(name);
      throw error;
    },
  );
}

/** Before the schema is brought up to date, so that a large audit can be shortened before a migration copies it. */
function prune({ before, json }: { before: string; json?: boolean }): Promise<void> {
  return withServices(
    async (app) => {
      const pruned = await app.get(AuditPruning).run(before);
      printNotice(`${pruned} rows of the audit are deleted.`);
      if (json) process.stdout.write(`${JSON.stringify({ deleted: pruned })}\n`);
    },
    { keepSchema: true },
  );
}
