import { Command, Option } from 'commander';
import { VERIFICATION_STATUSES } from '../../domains/verification/verification-status';
import { hostArgument, idArgument, JSON_OPTION, lazy } from './arguments';

const run = lazy(() => import('./actions/domains.js'));

export function domainsCommand(): Command {
  const domains = new Command('domains').description('custom domains');
  domains
    .command('list')
    .description('list domains and their verification status')
    .option('--account <name>', 'only domains of this account')
    .addOption(new Option('--status <status>', 'only domains with this verification status').choices(VERIFICATION_STATUSES))
    .addOption(JSON_OPTION)
    .action(run('list'));
  domains
    .command('show')
    .argument('<id>', 'domain id', idArgument)
    .description('show a domain with its verification, the DNS records to set, and what is wrong with them')
    .addOption(JSON_OPTION)
    .action(run('show'));
  const addById = (verb: 'enable' | 'disable' | 'verify' | 'unverify', description: string) =>
    domains.command(verb).argument('<id>', 'domain id', idArgument).description(description).action(run(verb));
  addById('enable', 'enable a domain');
  addById('disable', 'disable a domain');
  domains
    .command('token')
    .argument('<host>', 'host name', hostArgument)
    .requiredOption('--account <name>', 'account that will own the domain')
    .description('print the token that verifies a host for an account; the domain need not exist yet')
    .addOption(JSON_OPTION)
    .action(run('printToken'));
  addById('verify', 'verify a domain without DNS, until its host changes');
  addById('unverify', 'end the verification of a domain; DNS may verify it again');
  domains
    .command('release')
    .argument('<host>', 'host name', hostArgument)
    .option('--force', 'even if the domain is verified')
    .description('delete the domain of a host, in any account, so that another account can use the host')
    .action(run('release'));
  return domains;
}
