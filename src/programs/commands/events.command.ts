import { Command } from 'commander';
import { TIME_OR_CURSOR, TYPES } from '../../events/event-fields';
import { argumentOf, countArgument, idArgument, JSON_OPTION, lazy } from './arguments';

const run = lazy(() => import('./actions/events.js'));

export function eventsCommand(): Command {
  const events = new Command('events').description('events of the feed');
  events
    .command('list')
    .description('list the newest events, oldest first')
    .option('--account <name>', 'only events of this account')
    .option('--types <types>', 'only these types, such as domain.*,delivery.failed', argumentOf(TYPES))
    .option('--limit <number>', 'maximum number of events', countArgument, 100)
    .option('--follow', 'print new events as they come, until interrupted')
    .addOption(JSON_OPTION)
    .action(run('list'));
  events
    .command('replay')
    .argument('<handler-id>', 'id of a notification handler', idArgument)
    .description('resend the events in a time range to a handler')
    .requiredOption('--from <time>', 'UTC, such as "2026-11-21 14:30:00", or a cursor of the feed', argumentOf(TIME_OR_CURSOR))
    .option('--until <time>', 'likewise; by default, now', argumentOf(TIME_OR_CURSOR))
    .option('--confirm', 'required for Twilio, where each message costs money')
    .action(run('replay'));
  events
    .command('reset')
    .description('expire every cursor of the feed, as after restoring a backup; `restored` includes it')
    .action(run('reset'));
  return events;
}
