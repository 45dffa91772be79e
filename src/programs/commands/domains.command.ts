import type { INestApplicationContext } from '@nestjs/common';
import { Command, Option } from 'commander';
import { AccountsService } from '../../auth/accounts/accounts.service';
import { DomainsService } from '../../domains/domains.service';
import { STATUSES, type VerificationStatus } from '../../domains/verification/domain-verification.entity';
import { OperatorVerifications } from '../../domains/verification/operator-verifications';
import { txtRecord } from '../../domains/verification/verification.dto';
import { VerificationTokens } from '../../domains/verification/verification-tokens';
import { hostArgument, idArgument } from './arguments';
import { findAccountId, JSON_OPTION, type JsonOption, printFields, printJson, printList, printNotice, withServices } from './action';

interface ListOptions extends JsonOption {
  account?: string;
  status?: VerificationStatus;
}

export function domainsCommand(): Command {
  const domains = new Command('domains');
  domains
    .command('list')
    .description('list domains and their verification status')
    .option('--account <name>', 'only domains of this account')
    .addOption(new Option('--status <status>', 'only domains with this verification status').choices(STATUSES))
    .addOption(JSON_OPTION)
    .action(withServices(list));
  domains
    .command('show')
    .argument('<id>', 'domain id', idArgument)
    .description('show a domain with its verification, the DNS records to set, and what is wrong with them')
    .addOption(JSON_OPTION)
    .action(withServices(show));
  const addById = (verb: string, description: string, run: (app: INestApplicationContext, id: number) => Promise<void>) =>
    domains.command(verb).argument('<id>', 'domain id', idArgument).description(description).action(withServices(run));
  addById('enable', 'enable a domain', (app, id) => setEnabled(app, id, true));
  addById('disable', 'disable a domain', (app, id) => setEnabled(app, id, false));
  domains
    .command('token')
    .argument('<host>', 'host name', hostArgument)
    .requiredOption('--account <name>', 'account that will own the domain')
    .description('print the token that verifies a host for an account; the domain need not exist yet')
    .addOption(JSON_OPTION)
    .action(withServices(printToken));
  addById('verify', 'verify a domain without DNS, until its host changes', verify);
  addById('unverify', 'end the verification of a domain; DNS may verify it again', unverify);
  domains
    .command('release')
    .argument('<host>', 'host name', hostArgument)
    .option('--force', 'even if the domain is verified')
    .description('delete the domain of a host, in any account, so that another account can use the host')
    .action(withServices(release));
  return domains;
}

async function list(app: INestApplicationContext, { account, status, json }: ListOptions): Promise<void> {
  const nameOf = await app.get(AccountsService).names();
  const accountId = await app.get(AccountsService).findId(account);
  const domains = await app.get(OperatorVerifications).list({ accountId, status });
  const rows = domains.map(({ id, host, account_id, ...domain }) => {
    return { id, name: host, account: nameOf(account_id), ...domain };
  });
  printList(rows, json);
}

async function show(app: INestApplicationContext, id: number, { json }: JsonOption): Promise<void> {
  const { account_id, records, problems, ...domain } = await app.get(OperatorVerifications).show(id);
  const shown = { ...domain, account: (await app.get(AccountsService).names())(account_id) };
  if (json) return printJson({ ...shown, records, problems });
  printFields(shown);
  printList(records.map(({ type, name, value }) => ({ record: type, name, value })));
  if (problems.length > 0) process.stdout.write('\n');
  printList(problems.map(({ code, detail }) => ({ problem: code, detail })));
}

async function setEnabled(app: INestApplicationContext, id: number, isEnabled: boolean): Promise<void> {
  await app.get(DomainsService).setEnabled(id, isEnabled);
  printNotice(`${isEnabled ? 'Enabled' : 'Disabled'} domain ${id}.`);
}

/** Only the token goes to standard output. */
async function printToken(app: INestApplicationContext, host: string, { account, json }: JsonOption & { account: string }): Promise<void> {
  const token = await app.get(VerificationTokens).tokenOf(await findAccountId(app, account), host);
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
  printNotice(wasVerified ? `Domain ${id} is no longer verified.` : `Domain ${id} was not verified; nothing changed.`);
}

async function release(app: INestApplicationContext, host: string, { force = false }: { force?: boolean }): Promise<void> {
  const { id, accountId } = await app.get(OperatorVerifications).release(host, force);
  printNotice(`Domain ${id} of account ${accountId} was deleted; ${host} is free.`);
}
