import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { Migrations } from '../database/migrations';
import { printNotice, withServices } from './action';

interface Options {
  revert?: boolean;
  dropData?: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the schema up to date')
    .option('--revert', 'revert the newest migration instead; refused when data would be lost')
    .option('--drop-data', 'with --revert: revert even if data is lost')
    .action(withServices(run, { keepSchema: true }));
}

async function run(app: INestApplicationContext, { revert, dropData = false }: Options): Promise<void> {
  const migrations = app.get(Migrations);
  if (revert) {
    const name = await migrations.revert(dropData);
    printNotice(name ? `Reverted ${name}.` : 'No migration to revert.');
  } else {
    const names = await migrations.run();
    printNotice(names.length > 0 ? `Applied: ${names.join(', ')}.` : 'The schema is up to date.');
  }
}
