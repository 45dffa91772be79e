import { Command, Option } from 'commander';
import { JSON_OPTION, lazy } from './arguments';

const run = lazy(() => import('./actions/database.js'));

/** The variable keeps the password out of the list of processes. */
const TARGET_OPTION = new Option('--to <database URL>', 'sqlite:<file> or mysql://user:password@host:port/database')
  .env('MOVE_TO')
  .makeOptionMandatory();

export function migrateCommand(): Command {
  return new Command('migrate').description('bring the schema up to date').action(lazy(() => import('./actions/migrate.js'))('migrate'));
}

export function moveCommand(): Command {
  return new Command('move')
    .description('copy everything in DATABASE_URL to an empty SQLite, MySQL or MariaDB database, and compare; the service must be stopped')
    .addOption(TARGET_OPTION)
    .option('--while-running', 'copy while the service runs, for a trial')
    .addOption(JSON_OPTION)
    .action(lazy(() => import('./actions/move.js'))('move'));
}

export function restoredCommand(): Command {
  return new Command('restored')
    .description(
      'run once after restoring a backup, before the service starts: new deliveries get ids that were never sent, and cursors of the feed expire',
    )
    .addOption(JSON_OPTION)
    .action(run('restored'));
}

export function secretsCommand(): Command {
  const secrets = new Command('secrets').description("encryption keys of the handlers' settings and signing secrets");
  secrets
    .command('rotate')
    .description(
      're-encrypt all settings and signing secrets with the first key of SECRETS_KEY, or with a new key on the embedded database; the service may be running',
    )
    .action(run('rotateSecrets'));
  return secrets;
}
