import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { Command, InvalidArgumentError } from 'commander';
import { AccountsService } from '../../auth/accounts/accounts.service';
import { TYPES } from '../../events/event.dto';
import { type ListedEvent, OperatorEvents } from '../../events/operator-events';
import { PLACE, type StartReplay } from '../../events/replays/replay.dto';
import { ReplaysService } from '../../events/replays/replays.service';
import { countArgument, idArgument } from './arguments';
import { JSON_OPTION, type JsonOption, type ListRow, onInterrupt, printJson, printList, printNotice, withServices } from './action';

interface ListOptions extends JsonOption {
  account?: string;
  types?: string[];
  limit: number;
  follow?: boolean;
}

const FOLLOW_MS = 1_000;
const MAX_FOLLOWED = 10_000;

export function eventsCommand(): Command {
  const events = new Command('events');
  events
    .command('list')
    .description('list the newest events, oldest first')
    .option('--account <name>', 'only events of this account')
    .option('--types <types>', 'only these: domain.*,delivery.failed', typesArgument)
    .option('--limit <number>', 'maximum number of events', countArgument, 100)
    .option('--follow', 'print new events as they come, until interrupted')
    .addOption(JSON_OPTION)
    .action(withServices(list));
  events
    .command('replay')
    .argument('<handler-id>', 'id of a notification handler', idArgument)
    .description('send a handler its events of a stretch of time again')
    .requiredOption('--from <time>', 'UTC, such as "2026-11-21 14:30:00", or a cursor of the feed', placeArgument)
    .option('--until <time>', 'likewise; by default, now', placeArgument)
    .option('--confirm', 'also through Twilio, where each message costs money')
    .action(withServices(replay));
  events
    .command('reset')
    .description('expire every cursor of the feed, as after restoring a backup; `restored` includes it')
    .action(withServices(reset));
  return events;
}

async function list(app: INestApplicationContext, { account, types, limit, follow, json }: ListOptions): Promise<void> {
  const accounts = app.get(AccountsService);
  const accountId = await accounts.findId(account);
  const nameOf = await accounts.names();
  const operator = app.get(OperatorEvents);
  const toRow = (event: ListedEvent) => rowOf(event, nameOf(event.account_id));
  const { events, last } = await operator.find({ accountId, types, max: limit });
  if (!follow) return printList(events.map(toRow), json);
  const interrupted = new AbortController();
  const stop = onInterrupt(() => interrupted.abort());
  for (let [found, after] = [events, last]; !interrupted.signal.aborted;) {
    if (json) found.map(toRow).forEach(printJson);
    else printList(found.map(toRow));
    await sleep(FOLLOW_MS, undefined, { signal: interrupted.signal }).catch(() => undefined);
    const newer = await operator.find({ accountId, types, max: MAX_FOLLOWED, after });
    if (newer.isCut) printNotice(`More than ${MAX_FOLLOWED.toLocaleString('en')} events at once: only the newest are shown.`);
    [found, after] = [newer.events, newer.last];
  }
  stop();
}

async function replay(app: INestApplicationContext, handlerId: number, stretch: StartReplay): Promise<void> {
  const started = app.get(ReplaysService).startAsOperator(handlerId, stretch);
  const { from, until } = await started.catch((error: Error) => {
    throw Object.assign(error, { message: error.message.replace('the request with confirm=1', 'the command with --confirm') });
  });
  printNotice(`The events from ${from} until ${until} are being sent again.`);
}

async function reset(app: INestApplicationContext): Promise<void> {
  await app.get(OperatorEvents).reset();
  printNotice('All cursors of the feed have expired. Readers must begin again, with after=oldest or after=latest.');
}

function rowOf({ id, type, datetime, record, actor, data }: ListedEvent, account: string): ListRow {
  const by = actor.id === null ? actor.type : `${actor.type} ${actor.id}`;
  return { id, datetime, account, type, record: record?.id ?? null, by, data: JSON.stringify(data) };
}

function placeArgument(value: string): string | Date {
  const place = PLACE.parse(value);
  if (place === undefined) throw new InvalidArgumentError(`It must be ${PLACE.expected}.`);
  return place;
}

function typesArgument(value: string): string[] {
  const types = TYPES.parse(value);
  if (!types) throw new InvalidArgumentError(`They must be ${TYPES.expected}.`);
  return types;
}
