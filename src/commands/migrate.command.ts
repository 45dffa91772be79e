import type { INestApplicationContext } from '@nestjs/common';
import { Command, Option } from 'commander';
import { Migrations } from '../database/migrations';
import { AppliedExtensions } from '../extensions/applied-extensions';
import { Schedule } from '../jobs/schedule';
import { countOf, printNotice, withServices } from './action';

interface Options {
  revert?: boolean;
  dropData?: boolean;
  repair?: boolean;
}

export function migrateCommand(): Command {
  const [migrating, repairing] = [withServices(run, { keepSchema: true }), withServices(repair)];
  return new Command('migrate')
    .description('bring the schema up to date')
    .option('--revert', 'revert the newest migration instead; refused when data would be lost')
    .option('--drop-data', 'with --revert: revert even if data is lost')
    .addOption(
      new Option(
        '--repair',
        'then fill in fields that processes of an older version left empty; the service does so after each start',
      ).conflicts(['revert', 'dropData']),
    )
    .action((options: Options) => (options.repair ? repairing() : migrating(options)));
}

async function run(app: INestApplicationContext, { revert, dropData = false }: Options): Promise<void> {
  const migrations = app.get(Migrations);
  if (revert) {
    const name = await migrations.revert(dropData);
    printNotice(name ? `Reverted ${name}.` : 'No migration to revert.');
  } else {
    const names = await migrations.run();
    await app.get(AppliedExtensions).remember();
    printNotice(names.length > 0 ? `Applied: ${names.join(', ')}.` : 'The schema is up to date.');
  }
}

async function repair(app: INestApplicationContext): Promise<void> {
  const repaired = await app.get(Schedule).repair();
  process.stdout.write(repaired > 0 ? `Repaired ${countOf(repaired, 'record')}.\n` : 'Nothing to repair.\n');
}
