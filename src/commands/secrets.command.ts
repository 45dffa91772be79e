import { Command } from 'commander';
import { SecretsRotation } from '../notification-handlers/secrets/secrets-rotation';
import { printNotice } from './output';
import { withServices } from './with-services';

export function secretsCommand(): Command {
  const secrets = new Command('secrets').description("encryption keys of the handlers' settings");
  secrets
    .command('rotate')
    .description('re-encrypt all settings with the first of SECRETS_KEY, or with a new key on the embedded database; the service may run')
    .action(
      withServices(async (app) => {
        const count = await app.get(SecretsRotation).run();
        printNotice(`${count} notification handlers are encrypted under the newest key; none is left under another.`);
      }),
    );
  return secrets;
}
