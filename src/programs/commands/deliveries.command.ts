import type { INestApplicationContext } from '@nestjs/common';
import { Command, Option } from 'commander';
import { AccountsService } from '../../auth/accounts/accounts.service';
import type { Receipt } from '../../deliveries/receipts/twilio-report';
import { type DeliveryStatus, STATUSES } from '../../deliveries/delivery.entity';
import { OperatorDeliveries } from '../../deliveries/operator-deliveries';
import { countArgument, idArgument, timeArgument } from './arguments';
import { countOf, JSON_OPTION, type JsonOption, printFields, printJson, printList, printNotice, withServices } from './action';

interface ListOptions extends JsonOption {
  account?: string;
  handler?: number;
  status?: DeliveryStatus;
  since?: string;
  limit: number;
}

interface RetryOptions {
  status?: 'failed';
  since?: string;
  account?: string;
}

const FORMS = 'Give either a delivery id, or --status failed with --since <time>.';

export function deliveriesCommand(): Command {
  const deliveries = new Command('deliveries');
  deliveries
    .command('list')
    .description('list deliveries, newest first')
    .option('--account <name>', 'only deliveries of this account')
    .option('--handler <id>', 'only deliveries of this handler', idArgument)
    .addOption(new Option('--status <status>', 'only deliveries with this status').choices(STATUSES))
    .option('--since <time>', 'only deliveries created since: UTC, such as 2026-11-21', timeArgument)
    .option('--limit <number>', 'maximum number of deliveries', countArgument, 100)
    .addOption(JSON_OPTION)
    .action(withServices(list));
  deliveries
    .command('show')
    .argument('<id>', 'id from deliveries list', idArgument)
    .description('show a delivery, and the log of its attempts')
    .addOption(JSON_OPTION)
    .action(withServices(show));
  deliveries
    .command('retry')
    .argument('[id]', 'id from deliveries list', idArgument)
    .description('retry one failed delivery, or all that failed since a time; deliveries whose handler is unavailable are skipped')
    .addOption(new Option('--status <status>', 'instead of an id').choices(['failed']))
    .option('--since <time>', 'deliveries that failed since: UTC, such as 2026-11-21 or "2026-11-21 14:30:00"', timeArgument)
    .option('--account <name>', 'only deliveries of this account')
    .action(withServices(retry));
  return deliveries;
}

async function list(app: INestApplicationContext, options: ListOptions): Promise<void> {
  const { account, handler: handlerId, status, since, limit, json } = options;
  const nameOf = await app.get(AccountsService).names();
  const accountId = await app.get(AccountsService).findId(account);
  const deliveries = await app.get(OperatorDeliveries).find({ accountId, handlerId, status, since, max: limit });
  const rows = deliveries.map(({ id, webhook_id: name, account_id, message_id: message, handler_id: handler, ...delivery }) => {
    return { id, name, account: nameOf(account_id), message, handler, ...delivery };
  });
  printList(rows, json);
  if (deliveries.length === limit) printNotice(`Showing the newest ${limit}; there may be more: raise --limit <number>.`);
}

async function show(app: INestApplicationContext, id: number, { json }: JsonOption): Promise<void> {
  const { account_id, message_id, handler_id, log, ...delivery } = await app.get(OperatorDeliveries).show(id);
  const account = (await app.get(AccountsService).names())(account_id);
  const { title, handler_name, step, type, status, outcome, attempts, next_attempt, receipt, last_datetime, datetime } = delivery;
  const shown = {
    ...{ id, account, message: message_id, title, handler: handler_id, handler_name, step, type, status, outcome },
    ...{ attempts, next_attempt, receipt, last_datetime, datetime },
  };
  if (json) return printJson({ ...shown, log });
  printFields({ ...shown, receipt: receipt && textOf(receipt) });
  printList(log.map((attempt) => ({ ...attempt })));
}

/** For example `undelivered, error 30003, 2026-11-24 10:00:00`. */
function textOf({ status, code, datetime }: Receipt): string {
  return [status, ...(code === null ? [] : [`error ${code}`]), datetime].join(', ');
}

async function retry(app: INestApplicationContext, id: number | undefined, { status, since, account }: RetryOptions): Promise<void> {
  const retries = app.get(OperatorDeliveries);
  if (id !== undefined && (status ?? since ?? account) === undefined) {
    await retries.retry(id);
    printNotice(`Delivery ${id} is due now.`);
    return;
  }
  if (id !== undefined || status === undefined || since === undefined) throw new Error(FORMS);
  const { retried, skipped } = await retries.retryFailed({ since, accountId: await app.get(AccountsService).findId(account) });
  const reason =
    skipped > 0 ? ` Skipped ${skipped}: the message has expired, or the handler is deleted, disabled, or of another type now.` : '';
  printNotice(`${countOf(retried, 'delivery is', 'deliveries are')} due now.${reason}`);
}

export function messagesCommand(): Command {
  const messages = new Command('messages');
  messages
    .command('cancel')
    .argument('<id>', 'id of a message, shown by deliveries list', idArgument)
    .description('cancel the deliveries of a message that have not been sent; attempts in progress are the last')
    .addOption(JSON_OPTION)
    .action(withServices(cancel));
  messages
    .command('acknowledge')
    .argument('<id>', 'id of a message that was sent until acknowledged', idArgument)
    .description('say that somebody has a message, which cancels its deliveries that have not been sent; attempts in progress are the last')
    .addOption(JSON_OPTION)
    .action(withServices(acknowledge));
  return messages;
}

async function acknowledge(app: INestApplicationContext, id: number, { json }: JsonOption): Promise<void> {
  const { acknowledged, cancelled, at_work } = await app.get(OperatorDeliveries).acknowledgeMessage(id);
  if (json) return printJson({ id, acknowledged, cancelled, at_work });
  printNotice(`Acknowledged since ${acknowledged}. Cancelled ${countOf(cancelled, 'delivery', 'deliveries')}; ${at_work} in progress.`);
}

async function cancel(app: INestApplicationContext, id: number, { json }: JsonOption): Promise<void> {
  const counts = await app.get(OperatorDeliveries).cancelMessage(id);
  if (json) return printJson({ id, ...counts });
  const { cancelled, at_work, finished } = counts;
  printNotice(`Cancelled ${countOf(cancelled, 'delivery', 'deliveries')}; ${at_work} in progress, ${finished} finished before.`);
}
