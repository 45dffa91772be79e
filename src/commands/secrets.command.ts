import { Command } from 'commander';
import { SecretsRotation } from '../secrets/encrypted-columns';
import { countOf, printNotice, withServices } from './action';

export function secretsCommand(): Command {
  const secrets = new Command('secrets').description("encryption keys of the handlers' settings and signing secrets");
  secrets
    .command('rotate')
    .description(
      're-encrypt all settings and signing secrets with the first key of SECRETS_KEY, or with a new key on the embedded database; the service may be running',
    )
    .action(
      withServices(async (app) => {
        const count = await app.get(SecretsRotation).run();
        printNotice(`Re-encrypted ${countOf(count, 'notification handler')}; all now use the newest key.`);
      }),
    );
  return secrets;
}
