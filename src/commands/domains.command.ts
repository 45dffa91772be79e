import { Command } from 'commander';
import { DomainsService } from '../domains/domains.service';
import { idArgument } from './arguments';
import { printNotice } from './output';
import { withServices } from './with-services';

export function domainsCommand(): Command {
  const domains = new Command('domains').description('what an operator decides about custom domains');
  domains
    .command('enable')
    .argument('<id>', 'id of the domain', idArgument)
    .description('enable a domain')
    .action((id: number) => setEnabled(id, true));
  domains
    .command('disable')
    .argument('<id>', 'id of the domain', idArgument)
    .description('disable a domain')
    .action((id: number) => setEnabled(id, false));
  return domains;
}

function setEnabled(id: number, isEnabled: boolean): Promise<void> {
  return withServices(async (app) => {
    await app.get(DomainsService).setEnabled(id, isEnabled);
    printNotice(`Domain ${id} is ${isEnabled ? 'enabled' : 'disabled'}.`);
  });
}
