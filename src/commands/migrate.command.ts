import { Command } from 'commander';
import { Migrations } from '../database/migrations';
import { remark } from './output';
import { withServices } from './with-services';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the schema up to date')
    .option('--revert', 'take the newest step back instead; what its tables hold is lost')
    .action(({ revert }: { revert?: boolean }) =>
      withServices((app) => (revert ? stepBack : bringUp)(app.get(Migrations)), { keepSchema: true }),
    );
}

async function bringUp(migrations: Migrations): Promise<void> {
  const names = await migrations.run();
  remark(names.length > 0 ? `Run: ${names.join(', ')}.` : 'The schema is up to date.');
}

async function stepBack(migrations: Migrations): Promise<void> {
  await migrations.revert();
  remark('The newest step is taken back.');
}
