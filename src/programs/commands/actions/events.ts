import { setTimeout as sleep } from 'node:timers/promises';
import { AccountsService } from '../../../auth/accounts/accounts.service';
import { type ListedEvent, OperatorEvents } from '../../../events/operator-events';
import type { StartReplay } from '../../../events/replays/replay.dto';
import { ReplaysService } from '../../../events/replays/replays.service';
import type { JsonOption } from '../arguments';
import { type ListRow, onInterrupt, printJson, printList, printNotice } from './output';
import { withServices } from './with-services';

interface ListOptions extends JsonOption {
  account?: string;
  types?: string[];
  limit: number;
  follow?: boolean;
}

const POLL_MS = 1_000;
const MAX_EVENTS_PER_POLL = 10_000;

export const list = withServices(async (app, { account, types, limit, follow, json }: ListOptions) => {
  const accounts = app.get(AccountsService);
  const accountId = await accounts.findId(account);
  const nameOf = await accounts.names();
  const operator = app.get(OperatorEvents);
  const toRow = (event: ListedEvent) => rowOf(event, nameOf(event.account_id));
  const { events, last } = await operator.find({ accountId, types, max: limit });
  if (!follow) return printList(events.map(toRow), json);
  const interrupted = new AbortController();
  const stop = onInterrupt(() => interrupted.abort());
  for (let [newEvents, after] = [events, last]; !interrupted.signal.aborted;) {
    if (json) newEvents.map(toRow).forEach(printJson);
    else printList(newEvents.map(toRow));
    await sleep(POLL_MS, undefined, { signal: interrupted.signal }).catch(() => undefined);
    const newer = await operator.find({ accountId, types, max: MAX_EVENTS_PER_POLL, after });
    if (newer.hasOlder) printNotice(`More than ${MAX_EVENTS_PER_POLL.toLocaleString('en')} events at once: only the newest are shown.`);
    [newEvents, after] = [newer.events, newer.last];
  }
  stop();
});

export const replay = withServices(async (app, handlerId: number, range: StartReplay) => {
  const started = app.get(ReplaysService).startAsOperator(handlerId, range);
  const { from, until } = await started.catch((error: Error) => {
    throw Object.assign(error, { message: error.message.replace('the request with confirm=1', 'the command with --confirm') });
  });
  printNotice(`The events from ${from} until ${until} are being sent again.`);
});

export const reset = withServices(async (app) => {
  await app.get(OperatorEvents).reset();
  printNotice('All cursors of the feed have expired. Readers must begin again, with after=oldest or after=latest.');
});

function rowOf({ id, type, datetime, record, actor, data }: ListedEvent, account: string): ListRow {
  const by = actor.id === null ? actor.type : `${actor.type} ${actor.id}`;
  return { id, datetime, account, type, record: record?.id ?? null, by, data: JSON.stringify(data) };
}
