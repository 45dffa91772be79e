import type { INestApplicationContext } from '@nestjs/common';
import { Command, Option } from 'commander';
import { AccountsService } from '../auth/accounts/accounts.service';
import { DomainsService } from '../domains/domains.service';
import { STATUSES, type VerificationStatus } from '../domains/verification/domain-verification.entity';
import { DomainList, HostRelease, OperatorVerifications } from '../domains/verification/operator-verifications';
import { txtRecord } from '../domains/verification/verification.dto';
import { VerificationTokens } from '../domains/verification/verification-tokens';
import { hostArgument, idArgument } from './arguments';
import { JSON_OPTION, type JsonOption, printJson, printList, printNotice, withServices } from './action';

interface ListOptions extends JsonOption {
  account?: string;
  status?: VerificationStatus;
}

interface TokenOptions extends JsonOption {
  account: string;
}

export function domainsCommand(): Command {
  const domains = new Command('domains').description('custom domains');
  domains
    .command('list')
    .description('list domains, with how their verification goes')
    .option('--account <name>', 'only domains of this account')
    .addOption(new Option('--status <status>', 'only domains with this verification status').choices(STATUSES))
    .addOption(JSON_OPTION)
    .action(withServices(list));
  for (const verb of ['enable', 'disable']) {
    domains
      .command(verb)
      .argument('<id>', 'domain id', idArgument)
      .description(`${verb} a domain`)
      .action(withServices((app, id: number) => setEnabled(app, id, verb === 'enable')));
  }
  domains
    .command('token')
    .argument('<host>', 'host name', hostArgument)
    .requiredOption('--account <name>', 'account that is to have the domain')
    .description('print the token that verifies a host for an account; the domain need not exist yet')
    .addOption(JSON_OPTION)
    .action(withServices(printToken));
  domains
    .command('verify')
    .argument('<id>', 'domain id', idArgument)
    .description('verify a domain without DNS, until its host changes')
    .action(withServices(verify));
  domains
    .command('unverify')
    .argument('<id>', 'domain id', idArgument)
    .description('end the verification of a domain; DNS may verify it again')
    .action(withServices(unverify));
  domains
    .command('release')
    .argument('<host>', 'host name', hostArgument)
    .option('--force', 'even if the domain is verified')
    .description('delete the domain that holds a host, whatever its account, so that another account can have it')
    .action(withServices(release));
  return domains;
}

async function list(app: INestApplicationContext, { account, status, json }: ListOptions): Promise<void> {
  const names = await app.get(AccountsService).findNames();
  const accountId = await app.get(AccountsService).findId(account);
  const domains = await app.get(DomainList).find({ accountId, status });
  const rows = domains.map(({ id, host, account_id, ...domain }) => ({
    id,
    name: host,
    account: names.get(account_id) ?? String(account_id),
    ...domain,
  }));
  printList(rows, json);
}

async function setEnabled(app: INestApplicationContext, id: number, isEnabled: boolean): Promise<void> {
  await app.get(DomainsService).setEnabled(id, isEnabled);
  printNotice(`${isEnabled ? 'Enabled' : 'Disabled'} domain ${id}.`);
}

/** The token alone goes to standard output. */
async function printToken(app: INestApplicationContext, host: string, { account, json }: TokenOptions): Promise<void> {
  const { id } = await app.get(AccountsService).findByName(account);
  const token = await app.get(VerificationTokens).tokenOf(id, host);
  const { type, name, value } = txtRecord(host, token);
  if (json) return printJson({ host, token, record: { type, name, value } });
  process.stdout.write(`${token}\n`);
  printNotice(`Set a ${type} record at ${name} with the value ${value}`);
}

async function verify(app: INestApplicationContext, id: number): Promise<void> {
  await app.get(OperatorVerifications).verify(id);
  printNotice(`Domain ${id} is verified until its host changes.`);
}

async function unverify(app: INestApplicationContext, id: number): Promise<void> {
  const wasVerified = await app.get(OperatorVerifications).unverify(id);
  printNotice(wasVerified ? `Domain ${id} is no longer verified.` : `Domain ${id} is not verified.`);
}

async function release(app: INestApplicationContext, host: string, { force = false }: { force?: boolean }): Promise<void> {
  const { id, accountId } = await app.get(HostRelease).run(host, force);
  printNotice(`Domain ${id} of account ${accountId} was deleted; ${host} is free.`);
}
