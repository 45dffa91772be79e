import { Command } from 'commander';
import { Migrations } from '../database/migrations';
import { printNotice } from './output';
import { withServices } from './with-services';

interface Options {
  revert?: boolean;
  dropData?: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the schema up to date')
    .option('--revert', 'take the newest step back instead; refused when data would be lost')
    .option('--drop-data', 'with --revert: although data is lost')
    .action(({ revert, dropData = false }: Options) =>
      withServices((app) => (revert ? stepBack(app.get(Migrations), dropData) : bringUp(app.get(Migrations))), { keepSchema: true }),
    );
}

async function bringUp(migrations: Migrations): Promise<void> {
  const names = await migrations.run();
  printNotice(names.length > 0 ? `Run: ${names.join(', ')}.` : 'The schema is up to date.');
}

async function stepBack(migrations: Migrations, mayDropData: boolean): Promise<void> {
  const name = await migrations.revert(mayDropData);
  printNotice(name ? 'The newest step is taken back.' : 'There is no step to take back.');
}
