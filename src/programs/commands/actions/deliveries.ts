import { AccountsService } from '../../../auth/accounts/accounts.service';
import type { Receipt } from '../../../deliveries/channels/twilio-report';
import type { DeliveryStatus } from '../../../deliveries/delivery-status';
import { OperatorDeliveries } from '../../../deliveries/operator-deliveries';
import { OperatorMessages } from '../../../messages/operator-messages';
import type { JsonOption } from '../arguments';
import { countOf, printFields, printJson, printList, printNotice } from './output';
import { withServices } from './with-services';

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

const RETRY_USAGE = 'Give either a delivery id, or --status failed with --since <time>.';

export const list = withServices(async (app, options: ListOptions) => {
  const { account, handler: handlerId, status, since, limit, json } = options;
  const nameOf = await app.get(AccountsService).names();
  const accountId = await app.get(AccountsService).findId(account);
  const deliveries = await app.get(OperatorDeliveries).find({ accountId, handlerId, status, since, max: limit });
  const rows = deliveries.map(({ id, webhook_id: name, account_id, message_id: message, handler_id: handler, ...delivery }) => {
    return { id, name, account: nameOf(account_id), message, handler, ...delivery };
  });
  printList(rows, json);
  if (deliveries.length === limit) printNotice(`Showing the newest ${limit}; there may be more: raise --limit <number>.`);
});

export const show = withServices(async (app, id: number, { json }: JsonOption) => {
  const { account_id, message_id, handler_id, log, ...delivery } = await app.get(OperatorDeliveries).show(id);
  const account = (await app.get(AccountsService).names())(account_id);
  const { title, handler_name, step, type, status, outcome, attempts, next_attempt, receipt, last_datetime, datetime } = delivery;
  const fields = {
    id,
    account,
    message: message_id,
    title,
    handler: handler_id,
    handler_name,
    step,
    type,
    status,
    outcome,
    attempts,
    next_attempt,
    receipt,
    last_datetime,
    datetime,
  };
  if (json) return printJson({ ...fields, log });
  printFields({ ...fields, receipt: receipt && receiptText(receipt) });
  printList(log.map((attempt) => ({ ...attempt })));
});

/** For example `undelivered, error 30003, 2026-11-24 10:00:00`. */
function receiptText({ status, code, datetime }: Receipt): string {
  return [status, ...(code === null ? [] : [`error ${code}`]), datetime].join(', ');
}

export const retry = withServices(async (app, id: number | undefined, { status, since, account }: RetryOptions) => {
  const retries = app.get(OperatorDeliveries);
  if (id !== undefined && (status ?? since ?? account) === undefined) {
    await retries.retry(id);
    printNotice(`Delivery ${id} is due now.`);
    return;
  }
  if (id !== undefined || status === undefined || since === undefined) throw new Error(RETRY_USAGE);
  const { retried, skipped } = await retries.retryFailed({ since, accountId: await app.get(AccountsService).findId(account) });
  const reason =
    skipped > 0 ? ` Skipped ${skipped}: the message has expired, or the handler is deleted, disabled, or of another type now.` : '';
  printNotice(`${countOf(retried, 'delivery is', 'deliveries are')} due now.${reason}`);
});

export const acknowledge = withServices(async (app, id: number, { json }: JsonOption) => {
  const { acknowledged, cancelled, at_work } = await app.get(OperatorMessages).acknowledge(id);
  if (json) return printJson({ id, acknowledged, cancelled, at_work });
  printNotice(`Acknowledged since ${acknowledged}. Cancelled ${countOf(cancelled, 'delivery', 'deliveries')}; ${at_work} in progress.`);
});

export const cancel = withServices(async (app, id: number, { json }: JsonOption) => {
  const counts = await app.get(OperatorMessages).cancel(id);
  if (json) return printJson({ id, ...counts });
  const { cancelled, at_work, finished } = counts;
  printNotice(`Cancelled ${countOf(cancelled, 'delivery', 'deliveries')}; ${at_work} in progress, ${finished} finished before.`);
});
