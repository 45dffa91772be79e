import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { OperatorDeliveries } from '../deliveries/operator-deliveries';
import { idArgument } from './arguments';
import { countOf, JSON_OPTION, type JsonOption, printJson, printNotice, withServices } from './action';

export function messagesCommand(): Command {
  const messages = new Command('messages').description('what accounts have sent');
  messages
    .command('cancel')
    .argument('<id>', 'id of a message, shown by deliveries list', idArgument)
    .description('cancel the deliveries of a message that have not been sent; attempts in progress are the last')
    .addOption(JSON_OPTION)
    .action(withServices(cancel));
  return messages;
}

async function cancel(app: INestApplicationContext, id: number, { json }: JsonOption): Promise<void> {
  const counts = await app.get(OperatorDeliveries).cancelMessage(id);
  if (json) return printJson({ id, ...counts });
  const { cancelled, at_work, finished } = counts;
  printNotice(`Cancelled ${countOf(cancelled, 'delivery', 'deliveries')}; ${at_work} in progress, ${finished} finished before.`);
}
