import { Command } from 'commander';
import { SecretsRotation } from '../notification-handlers/secrets/secrets-rotation';
import { printNotice } from './output';
import { withServices } from './with-services';

export function secretsCommand(): Command {
  const secrets = new Command('secrets').description("the keys that handlers' settings are encrypted under");
  secrets
    .command('rotate')
    .description('encrypt all settings under the first of SECRETS_KEY, while the service runs; on the embedded database, under a new key')
    .action(() =>
      withServices(async (app) => {
        const count = await app.get(SecretsRotation).run();
        printNotice(`${count} notification handlers are encrypted under the newest key; none is left under another.`);
      }),
    );
  return secrets;
}
