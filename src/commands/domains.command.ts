import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { DomainsService } from '../domains/domains.service';
import { idArgument } from './arguments';
import { printNotice } from './output';
import { withServices } from './with-services';

export function domainsCommand(): Command {
  const domains = new Command('domains').description('custom domains');
  for (const verb of ['enable', 'disable']) {
    domains
      .command(verb)
      .argument('<id>', 'domain id', idArgument)
      .description(`${verb} a domain`)
      .action(withServices((app, id: number) => setEnabled(app, id, verb === 'enable')));
  }
  return domains;
}

async function setEnabled(app: INestApplicationContext, id: number, isEnabled: boolean): Promise<void> {
  await app.get(DomainsService).setEnabled(id, isEnabled);
  printNotice(`${isEnabled ? 'Enabled' : 'Disabled'} domain ${id}.`);
}
