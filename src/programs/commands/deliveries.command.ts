import { Command, Option } from 'commander';
import { DELIVERY_STATUSES } from '../../deliveries/delivery-status';
import { countArgument, idArgument, JSON_OPTION, lazy, timeArgument } from './arguments';

const run = lazy(() => import('./actions/deliveries.js'));

export function deliveriesCommand(): Command {
  const deliveries = new Command('deliveries').description('messages sent through notification handlers');
  deliveries
    .command('list')
    .description('list deliveries, newest first')
    .option('--account <name>', 'only deliveries of this account')
    .option('--handler <id>', 'only deliveries of this handler', idArgument)
    .addOption(new Option('--status <status>', 'only deliveries with this status').choices(DELIVERY_STATUSES))
    .option('--since <time>', 'only deliveries created since: UTC, such as 2026-11-21', timeArgument)
    .option('--limit <number>', 'maximum number of deliveries', countArgument, 100)
    .addOption(JSON_OPTION)
    .action(run('list'));
  deliveries
    .command('show')
    .argument('<id>', 'id from deliveries list', idArgument)
    .description('show a delivery, and the log of its attempts')
    .addOption(JSON_OPTION)
    .action(run('show'));
  deliveries
    .command('retry')
    .argument('[id]', 'id from deliveries list', idArgument)
    .description('retry one failed delivery, or all that failed since a time; deliveries whose handler is unavailable are skipped')
    .addOption(new Option('--status <status>', 'instead of an id').choices(['failed']))
    .option('--since <time>', 'deliveries that failed since: UTC, such as 2026-11-21 or "2026-11-21 14:30:00"', timeArgument)
    .option('--account <name>', 'only deliveries of this account')
    .action(run('retry'));
  return deliveries;
}

export function messagesCommand(): Command {
  const messages = new Command('messages').description('messages of accounts');
  messages
    .command('cancel')
    .argument('<id>', 'id of a message, shown by deliveries list', idArgument)
    .description('cancel the deliveries of a message that have not been sent; attempts already in progress continue, but are not retried')
    .addOption(JSON_OPTION)
    .action(run('cancel'));
  messages
    .command('acknowledge')
    .argument('<id>', 'id of a message that was sent with until=acknowledged', idArgument)
    .description(
      'acknowledge a message and cancel its deliveries that have not been sent; attempts already in progress continue, but are not retried',
    )
    .addOption(JSON_OPTION)
    .action(run('acknowledge'));
  return messages;
}
