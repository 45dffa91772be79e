import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { DomainsService } from '../domains/domains.service';
import { idArgument } from './arguments';
import { printNotice } from './output';
import { withServices } from './with-services';

export function domainsCommand(): Command {
  const domains = new Command('domains').description('custom domains');
  domains
    .command('enable')
    .argument('<id>', 'domain id', idArgument)
    .description('enable a domain')
    .action(withServices((app, id: number) => setEnabled(app, id, true)));
  domains
    .command('disable')
    .argument('<id>', 'domain id', idArgument)
    .description('disable a domain')
    .action(withServices((app, id: number) => setEnabled(app, id, false)));
  return domains;
}

async function setEnabled(app: INestApplicationContext, id: number, isEnabled: boolean): Promise<void> {
  await app.get(DomainsService).setEnabled(id, isEnabled);
  printNotice(`Domain ${id} is ${isEnabled ? 'enabled' : 'disabled'}.`);
}
