import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { Migrations } from '../../platform/database/migrations';
import { countOf, JSON_OPTION, type JsonOption, printJson, printNotice, withServices } from './action';
import { Installations } from '../../deliveries/installations';
import { OperatorEvents } from '../../events/operator-events';
import { KeyRotation } from '../../platform/secrets/key-rotation';

export function migrateCommand(): Command {
  return new Command('migrate').action(withServices(migrate, { keepSchema: true }));
}

async function migrate(app: INestApplicationContext): Promise<void> {
  const names = await app.get(Migrations).run();
  printNotice(names.length > 0 ? `Applied: ${names.join(', ')}.` : 'The schema is up to date.');
}

export function restoredCommand(): Command {
  return new Command('restored').addOption(JSON_OPTION).action(withServices(restored));
}

async function restored(app: INestApplicationContext, { json }: JsonOption): Promise<void> {
  const { part, givenBack } = await app.get(Installations).restore();
  await app.get(OperatorEvents).reset();
  if (json) printJson({ part, given_back: givenBack });
  printNotice(
    `New deliveries have ids msg_${part}_<id>. ${countOf(givenBack, 'delivery', 'deliveries')} in progress when the backup was taken will be attempted again. All cursors of the feed have expired. Readers must begin again, with after=oldest or after=latest.`,
  );
}

export function secretsCommand(): Command {
  const secrets = new Command('secrets');
  secrets
    .command('rotate')
    .description(
      're-encrypt all settings and signing secrets with the first key of SECRETS_KEY, or with a new key on the embedded database; the service may be running',
    )
    .action(
      withServices(async (app) => {
        const count = await app.get(KeyRotation).rotate();
        printNotice(`Re-encrypted ${countOf(count, 'notification handler')}; all now use the newest key.`);
      }),
    );
  return secrets;
}
