import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { Installations } from '../deliveries/installations';
import { OperatorEvents } from '../events/operator-events';
import { countOf, JSON_OPTION, type JsonOption, printJson, printNotice, withServices } from './action';

export function restoredCommand(): Command {
  return new Command('restored')
    .description(
      'run once after restoring a backup, before the service starts: new deliveries get ids that were never sent, and cursors of the feed expire',
    )
    .addOption(JSON_OPTION)
    .action(withServices(restored));
}

async function restored(app: INestApplicationContext, { json }: JsonOption): Promise<void> {
  const { part, givenBack } = await app.get(Installations).restore();
  await app.get(OperatorEvents).reset();
  if (json) printJson({ part, given_back: givenBack });
  printNotice(
    `New deliveries are named msg_${part}_<id>. ${countOf(givenBack, 'delivery', 'deliveries')} in progress when the backup was taken will be attempted again. Every cursor of the feed has expired: its readers begin again.`,
  );
}
